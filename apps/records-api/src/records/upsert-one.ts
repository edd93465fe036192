import { mapUnit } from '@relata/db';
import type { Actor } from '@relata/events';
import { newUpsert, type RecordTable, type Upsert, type UpsertMode, upsertUnit } from '@relata/records';
import { AppError, validationError } from '@relata/schemas/errors';

type Fields = Record<string, unknown>;

/** The body of an upsert, read and checked. */
export interface UpsertBody {
  match: Fields;
  set: Fields;
  mode: UpsertMode;
}

/** An upsert as it was sent; `given` if it has been read already. */
export interface SentUpsert {
  body: UpsertBody;
  given?: Upsert;
}

/** Creates or changes one record, as the body says. Throws the problems of the body's values. */
export function upsertOne(actor: Actor, table: RecordTable<unknown>, { body, given }: SentUpsert) {
  const mapError = (error: unknown) => located(error, body);
  try {
    const unit = upsertUnit(actor, table as RecordTable<object>, given ?? newUpsert(table, body));
    return mapUnit(unit, ({ record, ...meta }) => ({ data: record, meta }), mapError);
  } catch (error) {
    throw mapError(error);
  }
}

/** Maps the problems of a new record, which is validated as a whole, to their places in the body. */
function located(error: unknown, { match, set }: UpsertBody): unknown {
  if (!(error instanceof AppError) || !error.details) return error;
  const partOf = (field: string) => {
    const name = field.split('.')[0]!;
    return Object.hasOwn(match, name) && !Object.hasOwn(set, name) ? 'match' : 'set';
  };
  return validationError(
    error.details.map((detail) => ({ ...detail, field: `${partOf(detail.field)}.${detail.field}` })),
  );
}
