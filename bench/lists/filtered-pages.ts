import type { LoadRequest } from '@relata/testbed/load';
import { countValues } from './records.sql.ts';
import type { ListsBed } from './test-bed.ts';

/** Requests for pages at random offsets, with one filter and several of its values. */
export interface FilteredPages {
  name: string;
  title: string;
  /** Records that match a request, on average. */
  matches: number;
  requests: LoadRequest[];
}

/** Filters as customers use them; `sql` is the expression for their values. */
const kinds = [
  { list: 'opportunities', filter: 'account_id', sql: 'account_id::text' },
  { list: 'contacts', filter: 'account_id', sql: 'account_id::text' },
  { list: 'contacts', filter: 'owner_id', sql: 'owner_id::text' },
  { list: 'contacts', filter: 'tags[any]', sql: 'unnest(tags)' },
  { list: 'contacts', filter: 'last_name[prefix]', sql: 'lower(left(last_name, 4))' },
  { list: 'opportunities', filter: 'stage_id', sql: 'stage_id::text' },
] as const;

const limit = 25;
/** Maximum number of frequent values of a filter, and maximum number of rare values. */
const valuesMax = 40;
const pagesOfValue = 25;
/** Maximum offset that the API accepts with most filters. */
const offsetMax = 10_000;

/** Returns two loads for each filter: pages of its frequent values, and pages of its rare values. */
export async function filteredPages({ database, orgId }: ListsBed): Promise<FilteredPages[]> {
  const all: FilteredPages[] = [];
  for (const { list, filter, sql } of kinds) {
    const values = await countValues(database, orgId, list, sql);
    const frequent = values.slice(0, Math.min(valuesMax, Math.ceil(values.length / 2)));
    const rare = values.slice(frequent.length).filter((_, i, { length }) => i % Math.ceil(length / valuesMax) === 0);
    for (const [kind, some] of [
      ['many', frequent],
      ['few', rare],
    ] as const) {
      if (some.length === 0) continue;
      all.push({
        name: `${list}.${filter}.${kind}`,
        title: `${list} by \`${filter}\`, ${kind}`,
        matches: some.reduce((sum, { n }) => sum + n, 0) / some.length,
        requests: some.flatMap(({ value, n }) =>
          Array.from({ length: pagesOfValue }, () => ({
            method: 'GET' as const,
            path: `/v1/records/${list}?${parametersOf({ [filter]: value, offset: String(randomOffset(n)) })}`,
          })),
        ),
      });
    }
  }
  return all;
}

const parametersOf = (query: Record<string, string>) => new URLSearchParams(query).toString();

function randomOffset(matches: number): number {
  const pages = Math.ceil(Math.min(matches, offsetMax) / limit);
  return limit * Math.floor(Math.random() * pages);
}

/** Returns a load in which each of the given loads has the same share. */
export function mixOf(all: readonly FilteredPages[]): FilteredPages {
  const most = Math.max(...all.map(({ requests }) => requests.length));
  const requests = all.flatMap((each) =>
    Array.from({ length: most }, (_, i) => each.requests[i % each.requests.length]!),
  );
  const matches = all.reduce((sum, each) => sum + each.matches, 0) / all.length;
  return { name: 'mix', title: 'all of them, equally often', matches, requests };
}
