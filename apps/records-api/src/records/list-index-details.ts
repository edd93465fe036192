import {
  type IndexCatalog,
  missingComparisonDetails,
  missingIndexDetails,
  type RecordTable,
  recordTables,
} from '@relata/records';
import type { OperationSpec } from '@relata/schemas';
import type { ErrorDetail } from '@relata/schemas/errors';

type Query = Readonly<Record<string, unknown>>;

/** Finds the problems of a query whose indexes do not exist. */
type Details = (table: RecordTable<unknown>, query: Query, catalog: IndexCatalog) => ErrorDetail[];

/** How the indexes that a query needs are found, by the kind of operation. */
const detailsOf: { readonly [Kind in 'list' | 'summary' | 'duplicates']: Details } = {
  list: missingIndexDetails,
  // A summary sorts its groups, which needs no index.
  summary: (table, { sort: _sort, ...filters }, catalog) => missingIndexDetails(table, filters, catalog),
  duplicates: (table, { by }, catalog) => missingComparisonDetails(table, by, catalog),
};

/** Tables, and how their indexes are found, by operation. */
const operations = new Map(
  recordTables.flatMap((table) =>
    Object.entries(detailsOf).flatMap(([kind, details]) => {
      const spec = table.resource.operations[kind as keyof typeof detailsOf];
      return spec ? [[spec.id, { table, details }] as const] : [];
    }),
  ),
);

/** Returns the problems of a query that needs an index which the database does not have. */
export async function listIndexDetails(
  catalog: IndexCatalog,
  { id }: OperationSpec,
  query: Query,
): Promise<ErrorDetail[]> {
  const operation = operations.get(id);
  if (!operation) return [];
  // A process that has just started asks before it refuses.
  if (!catalog.isKnown) await catalog.read();
  return operation.details(operation.table, query, catalog);
}
