import { type IndexCatalog, missingIndexDetails, recordTables } from '@relata/records';
import type { OperationSpec } from '@relata/schemas';
import type { ErrorDetail } from '@relata/schemas/errors';

/** Tables by the operations that take the filters of their lists. */
const tables = new Map(
  recordTables.flatMap((table) => {
    const { list, summary } = table.resource.operations;
    return [list, summary].flatMap((each) => (each ? [[each.id, table] as const] : []));
  }),
);

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
  // A summary sorts its groups, which needs no index.
  const { sort: _sort, ...filters } = query;
  return missingIndexDetails(table, id === table.resource.operations.list.id ? query : filters, catalog);
}
