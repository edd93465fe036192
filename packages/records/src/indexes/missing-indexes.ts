import { listFilters, sortsOf } from '@relata/schemas';
import { type ErrorDetail, unsupportedFilter, unsupportedSort } from '@relata/schemas/errors';
import { allFilterNames, filterNames } from '../lists/list-conditions.ts';
import type { RecordTable } from '../table/record-table.ts';
import type { IndexCatalog } from './index-catalog.ts';
import { comparisonIndex, indexOf } from './list-index.ts';

type Catalog = Pick<IndexCatalog, 'isReady'>;

/**
 * Returns the problems of a list query: an unknown sort, and sorts and filters whose index does not exist or is being
 * built. `query` may be unchecked input.
 */
export function missingIndexDetails(
  table: RecordTable<unknown>,
  query: Readonly<Record<string, unknown>>,
  catalog: Catalog,
): ErrorDetail[] {
  const sorts = sortsOf(table.resource.list).filter((sort) => works(table, sort.replace(/^-/, ''), catalog));
  const isSortRefused = typeof query['sort'] === 'string' && !sorts.includes(query['sort']);
  const missing = filterNames(table, query).filter((name) => !filterWorks(table, name, catalog));
  return [
    ...(isSortRefused ? [unsupportedSort(sorts)] : []),
    ...missing.map((name) => unsupportedFilter(name, workingFilters(table, catalog))),
  ];
}

/** Returns the filters of a list that work now. */
export const workingFilters = (table: RecordTable<unknown>, catalog: Catalog): string[] =>
  allFilterNames(table).filter((name) => filterWorks(table, name, catalog));

/** Returns true if a filter works now. Contract filters always work, since migrations create their indexes. */
const filterWorks = (table: RecordTable<unknown>, name: string, catalog: Catalog) =>
  Object.hasOwn(table.filters, name) ||
  works(table, listFilters(table.resource.list).get(name)?.field ?? name, catalog);

function works(table: RecordTable<unknown>, field: string, catalog: Catalog): boolean {
  const needed = indexOf(table, field);
  return needed === undefined || catalog.isReady(needed.name);
}

/** Returns the problem of a search for duplicates whose index does not exist, or is being built. */
export function missingComparisonDetails(table: RecordTable<unknown>, by: unknown, catalog: Catalog): ErrorDetail[] {
  const names = Object.keys(table.comparisons);
  const isIndexed = (name: string) => {
    const needed = comparisonIndex(table, name);
    return needed === undefined || catalog.isReady(needed.name);
  };
  return names.some((name) => name === by && !isIndexed(name))
    ? [unsupportedFilter('by', names.filter(isIndexed))]
    : [];
}
