import type { Db } from '@relata/db';
import { missingReferences, type RecordTable, recordTables } from '@relata/records';
import { type ErrorDetail, invalidReferences, isRecord, isUuid, type OperationSpec } from '@relata/schemas';

/** By the operation that writes it. */
const tables = new Map(
  recordTables.flatMap((table) => {
    const { create, update, upsert } = table.resource.operations;
    return [create, update, upsert].flatMap((operation) => (operation ? [[operation.id, table] as const] : []));
  }),
);

/** Of a body that is refused anyway: the fields that are well-formed and name nothing, so that all is reported at once. */
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

/** The same of the fields of one record. */
export async function missingDetails(
  db: Db,
  orgId: string,
  table: RecordTable<unknown>,
  record: object,
): Promise<ErrorDetail[]> {
  const given = record as Record<string, unknown>;
  const fields = Object.keys(table.references).filter((field) => namesIds(given[field]));
  const wellFormed = Object.fromEntries(fields.map((field) => [field, given[field]]));
  const missing = await missingReferences(db, orgId, table, wellFormed);
  return missing.length > 0 ? (invalidReferences(missing).details ?? []) : [];
}

function namesIds(value: unknown): boolean {
  if (Array.isArray(value))
    return value.length <= 1_000 && value.every((item) => typeof item === 'string' && isUuid(item));
  return typeof value === 'string' && isUuid(value);
}
