import { conflictingFields } from '@relata/schemas';
import { AppError, type ErrorDetail, toErrorDetails, validationError } from '@relata/schemas/errors';
import type { Row } from '../table/record-column.ts';
import { validateUpdate } from '../table/record-fields.ts';
import type { RecordTable } from '../table/record-table.ts';

/** Values of a change or an upsert, still unchecked; null counts as absent. */
interface GivenValues {
  create?: unknown;
  fill?: unknown;
  add?: unknown;
  set?: unknown;
}

/**
 * Reads values from a workflow. Throws `validation_error` with every problem. A problem names its field with the part,
 * such as `fill.email`, but a field of `set` without it.
 */
export function readValues(table: RecordTable<unknown>, { create, fill, add, set }: GivenValues) {
  const known = conflictingFields({ set, fill, add }).filter(({ name }) =>
    table.columns.some((each) => each.name === name),
  );
  const details = known.map(({ part, name, message }): ErrorDetail => ({
    in: 'body',
    field: `${part}.${name}`,
    code: 'conflicting_fields',
    message,
  }));
  const read = (part: string, values: unknown, validate: typeof validateUpdate) => {
    try {
      return (values ?? undefined) === undefined ? undefined : validate(table, values);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      details.push(...(error.details ?? []).map((detail) => ({ ...detail, field: placed(part, detail.field) })));
      return undefined;
    }
  };
  const values = {
    set: read('', set, validateUpdate) ?? {},
    create: read('create', create, validateUpdate),
    fill: read('fill', fill, validateUpdate),
    add: read('add', add, validateAdded),
  };
  if (details.length > 0) throw validationError(details);
  return values;
}

const placed = (part: string, field: string) => [part, field].filter((name) => name !== '').join('.');

function validateAdded({ resource }: RecordTable<unknown>, given: unknown): Row {
  const parsed = resource.addable!.safeParse(given);
  if (parsed.success) return parsed.data as Row;
  throw validationError(toErrorDetails('body', parsed.error.issues, given));
}
