import { type ListFilter, listFilters, type Resource, searchParameter } from '@relata/schemas';

/**
 * A filter with values that match records. The most frequent values come first. Range filters (`gt`, `gte`, `lt`,
 * `lte`) instead have the values from the median upwards, in ascending order.
 */
export interface FilterValues {
  name: string;
  values: unknown[];
}

/** Returns all filters of a list, with values from these records. */
export function filtersWithValues(
  { filters, list }: Pick<Resource, 'filters' | 'list'>,
  sample: readonly Record<string, unknown>[],
): FilterValues[] {
  const all: ListFilter[] = [
    ...Object.keys(filters).map((name): ListFilter => ({ name, field: name, operator: 'equals' })),
    ...listFilters(list).values(),
    ...(list.search ?? [])
      .slice(0, 1)
      .map((field): ListFilter => ({ name: searchParameter, field, operator: 'prefix' })),
  ];
  return all.map((filter) => {
    // The filter `contact_id` is for the field `contact_ids`.
    const found = sample.flatMap((record) => record[filter.field] ?? record[`${filter.field}s`] ?? []);
    return { name: filter.name, values: valuesFor(filter, found) };
  });
}

function valuesFor({ operator }: ListFilter, found: readonly unknown[]): unknown[] {
  switch (operator) {
    case 'exists':
      return ['true', 'false'];
    case 'prefix':
      return byFrequency(found.map((value) => String(value).slice(0, 2)));
    case 'in':
    case 'any':
    case 'all':
      return byFrequency(found).map((value) => [value]);
    case 'equals':
      return byFrequency(found);
    default:
      return fromMiddle(found.toSorted((a, b) => (a! < b! ? -1 : 1)));
  }
}

function byFrequency(values: readonly unknown[]): unknown[] {
  const counts = new Map<unknown, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts.keys()].toSorted((a, b) => counts.get(b)! - counts.get(a)!);
}

/** Returns the values from the median upwards. A comparison with the median matches half of the records. */
const fromMiddle = (sorted: unknown[]) => sorted.slice(Math.floor(sorted.length / 2));
