import {
  type IndexCatalog,
  missingComparisonDetails,
  missingIndexDetails,
  type RecordTable,
  recordTables,
  workingFilters,
} from '@relata/records';
import { listFilters, type OperationSpec, searchParameter } from '@relata/schemas';
import { type ErrorDetail, readPart } from '@relata/schemas/errors';

type Query = Readonly<Record<string, unknown>>;

/** A function that finds the problems of a query whose indexes do not exist. */
type Details = (table: RecordTable<unknown>, query: Query, catalog: IndexCatalog) => ErrorDetail[];

/** Functions that find the missing indexes of a query, by the kind of operation. */
const detailsOf: { readonly [Kind in 'list' | 'summary' | 'duplicates']: Details } = {
  list: missingIndexDetails,
  // A summary sorts its groups, which needs no index.
  summary: (table, { sort: _sort, ...filters }, catalog) => missingIndexDetails(table, filters, catalog),
  duplicates: (table, { by }, catalog) => missingComparisonDetails(table, by, catalog),
};

/** Tables, and the functions that find their missing indexes, by the id of the operation. */
const operations = new Map(
  recordTables.flatMap((table) =>
    Object.entries(detailsOf).flatMap(([kind, details]) => {
      const spec = table.resource.operations[kind as keyof typeof detailsOf];
      return spec ? [[spec.id, { table, details }] as const] : [];
    }),
  ),
);

/**
 * Returns the problems of a query that has unknown parameters or needs a missing index. The problems list the filters
 * that work now.
 */
export async function listIndexDetails(
  catalog: IndexCatalog,
  { id, query: schema }: OperationSpec,
  query: Query,
): Promise<ErrorDetail[]> {
  const operation = operations.get(id);
  if (!operation) return [];
  // A process that has just started reads the indexes before it refuses a query.
  if (!catalog.isKnown) await catalog.read();
  const { table, details } = operation;
  const { shape } = schema!;
  const unknown = Object.entries(query).filter(([name]) => !Object.hasOwn(shape, name));
  if (unknown.length === 0) return details(table, query, catalog);
  const working = workingFilters(table, catalog);
  const isMissing = (name: string) => Object.hasOwn(shape, name) && !working.includes(name);
  const missing = [...listFilters(table.resource.list).keys(), searchParameter].filter(isMissing);
  const named = schema!.omit(Object.fromEntries(missing.map((name) => [name, true])) as never);
  const read = readPart('query', named, Object.fromEntries(unknown));
  return [...details(table, query, catalog), ...read.details.filter(({ code }) => code === 'unknown_field')];
}
