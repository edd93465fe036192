import { contact, opportunity, sortsOf } from '@relata/schemas';
import { latencyOf } from '@relata/testbed/quantile';
import { say } from '@relata/testbed/suite-program';
import { type FilterValues, filtersWithValues } from '@relata/testing/list-filters';
import type { Reader } from '../reader.ts';

/** Latencies of one kind of query: with a sort, with a filter, or with a pair of them. */
export interface Latency {
  list: string;
  /** Parameters of the query, without the values of filters. */
  query: string;
  page: 'first' | 'deep';
  isPair: boolean;
  p50Ms: number;
  p99Ms: number;
  /** True if it was measured again with more requests, since the first figure missed the target. */
  isRepeated: boolean;
}

/** Returns the target for the p99, in milliseconds. */
export const targetMs = ({ isPair }: Pick<Latency, 'isPair'>) => (isPair ? 250 : 50);

export interface LatencyOptions {
  read: Reader;
  /**
   * Number of requests for each sort and filter. Each pair gets a quarter of this number. If its p99 (the slowest of
   * so few requests) misses the target, the pair is measured again with the full number.
   */
  requests: number;
  /** Returns true if this part is to be measured: `filters` (each sort and filter alone) or `pairs`. */
  isWanted: (name: string) => boolean;
}

interface Page {
  data: Record<string, unknown>[];
  total: number;
  next_cursor?: string;
}

/** Part of the query of a list: a sort, or a filter with one of its values. */
interface Part {
  name: string;
  draw(): [name: string, value: string][];
}

const any = <Value>(values: readonly Value[]): Value => values[Math.floor(Math.random() * values.length)]!;

/**
 * Returns a filter. In half of the cases it draws one of its three most frequent values, otherwise any of its values.
 */
function filterPart({ name, values }: FilterValues): Part {
  const draw = (): [string, string][] => {
    const value = any(Math.random() < 0.5 ? values.slice(0, 3) : values);
    return (Array.isArray(value) ? (value as unknown[]) : [value]).map((each) => [name, String(each)]);
  };
  return { name, draw };
}

/** Returns true for a sort or filter with an index by default: every one except `updated_at`. */
const isDefault = (name: string) => !name.includes('updated_at');

/** Measures every sort and filter of the lists, and every pair with at least one filter, one request at a time. */
export async function measureLatencies(options: LatencyOptions): Promise<Latency[]> {
  const all: Latency[] = [];
  for (const resource of [contact, opportunity]) {
    const list = measuredList(options.read, resource.plural);
    const sorts = sortsOf(resource.list)
      .filter(isDefault)
      .map((sort): Part => ({ name: `sort=${sort}`, draw: () => [['sort', sort]] }));
    const filters = filtersWithValues(resource, await list.sample())
      .filter(({ name, values }) => isDefault(name) && values.length > 0)
      .map(filterPart);
    const [byId, ...others] = sorts as [Part, ...Part[]];
    if (options.isWanted('filters')) {
      say(`${resource.plural}: sorts and filters`);
      for (const part of [...sorts, ...filters]) all.push(...(await list.measure([part], options.requests)));
    }
    if (!options.isWanted('pairs')) continue;
    say(`${resource.plural}: pairs`);
    const pairs = filters.flatMap((one, i) => [...others, ...filters.slice(i + 1)].map((other) => [one, other]));
    for (const pair of [...filters.map((one) => [one, byId]), ...pairs])
      all.push(...(await list.measurePair(pair, options.requests)));
  }
  return all;
}

type Query = [name: string, value: string][];

/** Returns functions that measure queries of a list. */
function measuredList(reader: Reader, list: string) {
  const read = (query: Query) => {
    return reader<Page>(`/v1/records/${list}?${new URLSearchParams(query).toString()}`);
  };
  /** Returns the cursor after 10,000 records, or of page 2 if there are fewer; undefined if page 1 is the last one. */
  const deepCursor = async (query: Query, page: Page): Promise<string | undefined> => {
    if (page.next_cursor === undefined) return undefined;
    const { body } = await read([...query, ...Object.entries({ limit: '100', count: 'none', offset: '9900' })]);
    return body.next_cursor ?? page.next_cursor;
  };
  const measure = async (parts: readonly Part[], requests: number): Promise<Latency[]> => {
    const first: number[] = [];
    const deep: number[] = [];
    for (let i = 0; i < requests; i++) {
      const query = parts.flatMap((part) => part.draw());
      const { body: page, ms } = await read(query);
      first.push(ms);
      const cursor = await deepCursor(query, page);
      if (cursor !== undefined) deep.push((await read([...query, ['cursor', cursor]])).ms);
    }
    const query = parts.map(({ name }) => name).join(' & ');
    return [['first', first] as const, ['deep', deep] as const].flatMap(([page, times]) => {
      if (times.length === 0) return [];
      return [{ list, query, page, isPair: parts.length > 1, isRepeated: false, ...latencyOf(times) }];
    });
  };
  return {
    measure,
    measurePair: async (pair: readonly Part[], requests: number): Promise<Latency[]> => {
      const measured = await measure(pair, Math.ceil(requests / 4));
      if (measured.every((each) => each.p99Ms <= targetMs(each))) return measured;
      return (await measure(pair, requests)).map((each) => ({ ...each, isRepeated: true }));
    },
    /** Returns records from the beginning, the middle and the end of the list. */
    sample: async (): Promise<Page['data']> => {
      const { total } = (await read([['limit', '1']])).body;
      const offsets = [0, Math.floor(total / 2), total - 100];
      const pages = offsets.map((offset) => read(Object.entries({ limit: '100', offset: String(offset) })));
      return (await Promise.all(pages)).flatMap(({ body }) => body.data);
    },
  };
}
