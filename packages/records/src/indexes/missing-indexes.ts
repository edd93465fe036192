import { listFilters, sortsOf } from '@relata/schemas';
import { type ErrorDetail, unsupportedFilter, unsupportedSort } from '@relata/schemas/errors';
import { allFilterNames, filterNames } from '../lists/list-conditions.ts';
import type { RecordTable } from '../table/record-table.ts';
import type { IndexCatalog } from './index-catalog.ts';
import { comparisonIndex, indexOf } from './list-index.ts';

/**
 * Returns the problems of a query of a list whose order does not exist, or whose sort or filters need an index that does
 * not exist or is being built. `query` may be the one that a client sent.
 */
export function missingIndexDetails(
  table: RecordTable<unknown>,
  query: Readonly<Record<string, unknown>>,
  catalog: Pick<IndexCatalog, 'isReady'>,
): ErrorDetail[] {
  const { filters, resource } = table;
  const fields = listFilters(resource.list);
  const works = (name: string) => {
    const needed = indexOf(table, fields.get(name)?.field ?? name);
    return needed === undefined || catalog.isReady(needed.name);
  };
  // Contract filters have indexes of migrations.
  const filterWorks = (name: string) => Object.hasOwn(filters, name) || works(name);
  const sorts = sortsOf(resource.list).filter((sort) => works(sort.replace(/^-/, '')));
  const isSortRefused = typeof query['sort'] === 'string' && !sorts.includes(query['sort']);
  const missing = filterNames(table, query).filter((name) => !filterWorks(name));
  return [
    ...(isSortRefused ? [unsupportedSort(sorts)] : []),
    ...missing.map((name) => unsupportedFilter(name, allFilterNames(table).filter(filterWorks))),
  ];
}

/** Returns the problem of a search for duplicates whose index does not exist, or is being built. */
export function missingComparisonDetails(
  table: RecordTable<unknown>,
  by: unknown,
  catalog: Pick<IndexCatalog, 'isReady'>,
): ErrorDetail[] {
  const names = Object.keys(table.comparisons);
  const works = (name: string) => {
    const needed = comparisonIndex(table, name);
    return needed === undefined || catalog.isReady(needed.name);
  };
  return names.some((name) => name === by && !works(name)) ? [unsupportedFilter('by', names.filter(works))] : [];
}
