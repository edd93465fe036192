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

/** Finds the problems of a query that needs missing indexes. */
type Details = (table: RecordTable<unknown>, query: Query, catalog: IndexCatalog) => ErrorDetail[];

/** Functions that find the problems of a query, by kind of operation. */
const detailsOf: { readonly [Kind in 'list' | 'summary' | 'duplicates']: Details } = {
  list: missingIndexDetails,
  // A summary sorts its groups, which needs no index.
  summary: (table, { sort: _sort, ...filters }, catalog) => missingIndexDetails(table, filters, catalog),
  duplicates: (table, { by }, catalog) => missingComparisonDetails(table, by, catalog),
};

/** The table, and the function that finds its missing indexes, for each operation id. */
const operations = new Map(
  recordTables.flatMap((table) =>
    Object.entries(detailsOf).flatMap(([kind, details]) => {
      const spec = table.resource.operations[kind as keyof typeof detailsOf];
      return spec ? [[spec.id, { table, details }] as const] : [];
    }),
  ),
);

/**
 * Returns the problems of a query that has unknown parameters or needs a missing index. The problems name the filters
 * that currently work.
 */
export async function listIndexDetails(
  catalog: IndexCatalog,
  { id, query: schema }: OperationSpec,
  query: Query,
): Promise<ErrorDetail[]> {
  const operation = operations.get(id);
  if (!operation) return [];
  // A process that has just started must read the indexes before it can refuse a query.
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
