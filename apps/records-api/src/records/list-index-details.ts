import { type IndexCatalog, missingIndexDetails, recordTables } from '@relata/records';
import type { OperationSpec } from '@relata/schemas';
import type { ErrorDetail } from '@relata/schemas/errors';

/** Tables by the operations that list them. */
const tables = new Map(recordTables.map((table) => [table.resource.operations.list.id, table]));

/** Returns the problems of a list whose sort or filters need an index that the database does not have. */
export async function listIndexDetails(
  catalog: IndexCatalog,
  { id }: OperationSpec,
  query: Readonly<Record<string, unknown>>,
): Promise<ErrorDetail[]> {
  const table = tables.get(id);
  if (!table) return [];
  // A process that has just started asks before it refuses.
  if (!catalog.isKnown) await catalog.read();
  return missingIndexDetails(table, query, catalog);
}
