import { AppError } from '@relata/schemas/errors';

/** Maximum number of other records that a write may change in its transaction. */
export const linkedMax = 5_000;

/** Number up to which the other records of a refused write are counted. */
export const linkedCountMax = 10_000;

/** Counts the other records that the deletes of one transaction change, up to `linkedMax`. */
export class LinkBudget {
  readonly #taken = new Map<string, number>();

  /**
   * Takes room for a delete. A repeated call for the same record replaces the earlier call. Throws `too_many_linked` if
   * there is not enough.
   */
  take(id: string, count: number): void {
    this.#taken.delete(id);
    const others = this.#taken.values().reduce((sum, each) => sum + each, 0);
    if (others + count > linkedMax) throw tooManyLinked(count, { others });
    this.#taken.set(id, count);
  }
}

/**
 * Returns the error for a write that would change more than `linkedMax` other records. `others` is the number of
 * records that earlier items of the batch change; `advice` ends the message.
 */
export function tooManyLinked(
  count: number,
  { others = 0, advice }: { others?: number; advice?: string } = {},
): AppError {
  const isMore = count > linkedCountMax;
  const shown = Math.min(count, linkedCountMax);
  const counted = `${isMore ? 'More than ' : ''}${shown} other records are linked`;
  const message =
    others === 0
      ? [`${counted}. One request changes at most ${linkedMax}.`, ...(advice ? [advice] : [])].join(' ')
      : `${counted}, and ${others} to the items before this one. Delete this record in a request of its own.`;
  return new AppError('too_many_linked', message, {
    data: { linked_count: shown, linked_max: linkedMax, ...(isMore && { linked_count_relation: 'gte' as const }) },
  });
}
