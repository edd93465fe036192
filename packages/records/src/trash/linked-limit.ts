import { AppError } from '@relata/schemas/errors';

/** Maximum number of other records that a write may change in its transaction. */
export const linkedMax = 5_000;

/** Number up to which the records are counted that a refused write would have changed. */
export const linkedCountMax = 10_000;

/** Returns the error for a write that would change more than `linkedMax` other records. */
export function tooManyLinked(count: number): AppError {
  const isMore = count > linkedCountMax;
  const shown = Math.min(count, linkedCountMax);
  const message = `${isMore ? 'More than ' : ''}${shown} other records are linked. One request changes at most ${linkedMax}.`;
  return new AppError('too_many_linked', message, {
    data: { linked_count: shown, linked_max: linkedMax, ...(isMore && { linked_count_relation: 'gte' as const }) },
  });
}
