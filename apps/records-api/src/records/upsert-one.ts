import { mapUnit } from '@relata/db';
import type { Actor } from '@relata/events';
import {
  newUpsert,
  type RecordTable,
  type Upsert,
  type UpsertInput,
  type UpsertMode,
  upsertUnit,
} from '@relata/records';
import { AppError, validationError } from '@relata/schemas/errors';

type Fields = Record<string, unknown>;

/** The validated body of an upsert. */
export interface UpsertBody extends UpsertInput<Fields> {
  mode: UpsertMode;
}

/** A request to upsert a record. `given` is the result of `newUpsert`, if that was called before. */
export interface SentUpsert extends Pick<Upsert, 'isStored'> {
  body: UpsertBody;
  given?: Upsert;
}

/** Returns the unit that creates or changes one record according to the body. Throws for invalid values in the body. */
export function upsertOne(actor: Actor, table: RecordTable<unknown>, { body, given, isStored }: SentUpsert) {
  const mapError = (error: unknown) => located(error, body);
  try {
    const upsert = { ...(given ?? newUpsert(table, body)), isStored };
    const unit = upsertUnit(actor, table as RecordTable<object>, upsert);
    return mapUnit(
      unit,
      ({ record, candidateCount, ...meta }) => ({
        data: record,
        meta: { ...meta, ...(candidateCount !== undefined && { candidate_count: candidateCount }) },
      }),
      mapError,
    );
  } catch (error) {
    throw mapError(error);
  }
}

/** Members of the body that contain values of the record. A member takes precedence over later members of this list. */
export const valueParts = ['set', 'add', 'fill', 'create'] as const;

/** Maps the problems of a new record to their paths in the body, since a new record is validated as a whole. */
function located(error: unknown, body: UpsertBody): unknown {
  if (!(error instanceof AppError) || !error.details) return error;
  const missingIn = body.create ? 'create' : 'set';
  const partOf = (field: string) => {
    const name = field.split('.')[0]!;
    return [...valueParts, 'match' as const].find((part) => Object.hasOwn(body[part] ?? {}, name)) ?? missingIn;
  };
  return validationError(
    error.details.map((detail) => ({ ...detail, field: `${partOf(detail.field)}.${detail.field}` })),
  );
}
