import { listFilters, searchParameter, sortsOf } from '@relata/schemas';
import { type ErrorDetail, unsupportedFilter, unsupportedSort } from '@relata/schemas/errors';
import { filterNames } from '../lists/list-conditions.ts';
import type { RecordTable } from '../table/record-table.ts';
import type { IndexCatalog } from './index-catalog.ts';
import { comparisonIndex, indexOf } from './list-index.ts';

/**
 * Returns the problems of a query of a list whose sort or filters need an index that does not exist, or is being built.
 * `query` may be the one that a client sent.
 */
export function missingIndexDetails(
  table: RecordTable<unknown>,
  query: Readonly<Record<string, unknown>>,
  catalog: Pick<IndexCatalog, 'isReady'>,
): ErrorDetail[] {
  const { list } = table.resource;
  const fields = listFilters(list);
  const works = (name: string) => {
    const needed = indexOf(table, fields.get(name)?.field ?? name);
    return needed === undefined || catalog.isReady(needed.name);
  };
  const sortWorks = (sort: string) => works(sort.replace(/^-/, ''));
  const { sort } = query;
  const sorts = sortsOf(list);
  const missing = filterNames(table, query).filter((name) => !Object.hasOwn(table.filters, name) && !works(name));
  const all = [...Object.keys(table.filters), ...fields.keys(), ...(list.search ? [searchParameter] : [])];
  return [
    ...(sorts.some((each) => each === sort) && !sortWorks(sort as string)
      ? [unsupportedSort(sorts.filter(sortWorks))]
      : []),
    ...missing.map((name) =>
      unsupportedFilter(
        name,
        all.filter((each) => Object.hasOwn(table.filters, each) || works(each)),
      ),
    ),
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
