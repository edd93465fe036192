import type { Db } from '@relata/db';
import { findMissingReferences, type RecordTable, recordTables } from '@relata/records';
import { isRecord, isUuid, type OperationSpec } from '@relata/schemas';
import { type ErrorDetail, invalidReferences } from '@relata/schemas/errors';

/** Tables by the operations that write them. */
const tables = new Map(
  recordTables.flatMap((table) => {
    const { create, update, upsert } = table.resource.operations;
    return [create, update, upsert].flatMap((operation) => (operation ? [[operation.id, table] as const] : []));
  }),
);

/**
 * Returns the well-formed references of an invalid body that do not exist, so that all problems are reported at once.
 */
export async function referenceDetails(
  db: Db,
  orgId: string,
  spec: OperationSpec,
  body: object,
): Promise<ErrorDetail[]> {
  const table = tables.get(spec.id);
  if (!table) return [];
  if (spec.id !== table.resource.operations.upsert?.id) return missingDetails(db, orgId, table, body);
  const { set } = body as { set?: unknown };
  if (!isRecord(set)) return [];
  const details = await missingDetails(db, orgId, table, set);
  return details.map((detail) => ({ ...detail, field: `set.${detail.field}` }));
}

async function missingDetails(db: Db, orgId: string, table: RecordTable<unknown>, record: object) {
  const [details] = await missingReferenceDetails(db, orgId, table, [record]);
  return details!;
}

/** Like referenceDetails, for many records with one statement; the results are in their order. */
export async function missingReferenceDetails(
  db: Db,
  orgId: string,
  table: RecordTable<unknown>,
  records: readonly object[],
): Promise<ErrorDetail[][]> {
  const rows = records.map((record) => wellFormedOf(table, record as Record<string, unknown>));
  const missing = await findMissingReferences(db, orgId, table, rows);
  return missing.map((fields) => (fields.length > 0 ? (invalidReferences(fields).details ?? []) : []));
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
