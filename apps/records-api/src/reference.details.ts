import type { Db } from '@relata/db';
import { customActivities, missingReferences, opportunities, type RecordTable } from '@relata/records';
import { type ErrorDetail, invalidReferences, isUuid, type OperationSpec } from '@relata/schemas';

const tables: Record<string, RecordTable<unknown>> = {
  createOpportunity: opportunities,
  updateOpportunity: opportunities,
  createCustomActivity: customActivities,
};

/** Of a body that is refused anyway: the fields that are well-formed and name nothing, so that all is told at once. */
export async function referenceDetails(
  db: Db,
  orgId: string,
  spec: OperationSpec,
  body: object,
): Promise<ErrorDetail[]> {
  const table = tables[spec.id];
  if (!table) return [];
  const given = body as Record<string, unknown>;
  const fields = Object.keys(table.references ?? {}).filter((field) => namesIds(given[field]));
  const wellFormed = Object.fromEntries(fields.map((field) => [field, given[field]]));
  const missing = await missingReferences(db, orgId, table, wellFormed);
  return missing.length > 0 ? (invalidReferences(missing).details ?? []) : [];
}

function namesIds(value: unknown): boolean {
  if (Array.isArray(value))
    return value.length <= 1_000 && value.every((item) => typeof item === 'string' && isUuid(item));
  return typeof value === 'string' && isUuid(value);
}
