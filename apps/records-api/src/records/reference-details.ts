import type { Db } from '@relata/db';
import { missingReferences, recordTables } from '@relata/records';
import { type ErrorDetail, invalidReferences, isUuid, type OperationSpec } from '@relata/schemas';

/** By the operation that writes it. */
const tables = new Map(
  recordTables.flatMap((table) => {
    const { create, update } = table.resource.operations;
    return [create, update].flatMap((operation) => (operation ? [[operation.id, table] as const] : []));
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
  const given = body as Record<string, unknown>;
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
