import type { Db } from '@relata/db';
import { findMissingDetails, type RecordTable, recordTables } from '@relata/records';
import { isRecord, isUuid, type OperationSpec } from '@relata/schemas';
import type { ErrorDetail } from '@relata/schemas/errors';
import { valueParts } from './upsert-one.ts';

/** Tables by the ids of the operations that write them. */
const tables = new Map(
  recordTables.flatMap((table) => {
    const { create, update, upsert, merge } = table.resource.operations;
    return [create, update, upsert, merge].flatMap((operation) => (operation ? [[operation.id, table] as const] : []));
  }),
);

/**
 * Returns problems for well-formed references of an invalid body to records that do not exist, so that all problems are
 * reported at once.
 */
export async function referenceDetails(
  db: Db,
  orgId: string,
  spec: OperationSpec,
  body: object,
): Promise<ErrorDetail[]> {
  const table = tables.get(spec.id);
  if (!table) return [];
  const { upsert, merge } = table.resource.operations;
  const parts = spec.id === upsert?.id ? valueParts : spec.id === merge?.id ? (['set'] as const) : undefined;
  const [details] = await missingReferenceDetails(db, orgId, table, [recordParts(body, parts)]);
  return details!;
}

/** A part of a body that contains fields of a record. */
export interface RecordPart {
  /** Name of the member with the fields; empty if the body itself contains them. */
  name: string;
  fields: Record<string, unknown>;
}

/** Returns the members of a body that contain fields of the record; without `names`, returns the body itself. */
export function recordParts(body: unknown, names: readonly string[] | undefined): RecordPart[] {
  if (!isRecord(body)) return [];
  if (!names) return [{ name: '', fields: body }];
  return names.flatMap((name) => (isRecord(body[name]) ? [{ name, fields: body[name] }] : []));
}

/** Like referenceDetails, for many bodies with at most two statements. The results are in the order of the bodies. */
export async function missingReferenceDetails(
  db: Db,
  orgId: string,
  table: RecordTable<unknown>,
  bodies: readonly (readonly RecordPart[])[],
): Promise<ErrorDetail[][]> {
  const parts = bodies.flat();
  const rows = parts.map(({ fields }) => wellFormedOf(table, fields));
  const missing = await findMissingDetails(db, orgId, table, rows);
  const details = new Map(parts.map((part, i) => [part, missingIn(part, missing[i]!)]));
  return bodies.map((body) => body.flatMap((part) => details.get(part)!));
}

function missingIn({ name }: RecordPart, details: readonly ErrorDetail[]): ErrorDetail[] {
  return details.map((detail) => ({ ...detail, field: name === '' ? detail.field : `${name}.${detail.field}` }));
}

function wellFormedOf({ references }: RecordTable<unknown>, record: Record<string, unknown>) {
  const fields = Object.keys(references).filter((field) => namesIds(record[field]));
  return Object.fromEntries(fields.map((field) => [field, record[field]]));
}

function namesIds(value: unknown): boolean {
  if (Array.isArray(value))
    return value.length <= 1_000 && value.every((item) => typeof item === 'string' && isUuid(item));
  return typeof value === 'string' && isUuid(value);
}
