import { latencyOf } from '@relata/testbed/quantile';
import type { Reader } from '../reader.ts';

/** Times of one kind of summary of all opportunities. */
export interface SummaryLatency {
  query: string;
  isExact: boolean;
  p50Ms: number;
  p99Ms: number;
}

/**
 * Measures summaries by each group, without a filter and with the most frequent owner, one request at a time. Each kind
 * gets this number of requests; exact summaries get a quarter.
 */
export async function measureSummaries(read: Reader, requests: number): Promise<SummaryLatency[]> {
  const pathOf = (query: string) => `/v1/records/opportunities/summary?${query}`;
  type Owners = { data: { owner_id: string | null }[] };
  const { body: owners } = await read<Owners>(pathOf('group_by=owner_id&count=exact'));
  const owner = `owner_id=${owners.data.find(({ owner_id: id }) => id !== null)!.owner_id}`;
  const groups = ['stage_id', 'owner_id', 'account_id', 'pipeline'];
  const ofAll = ['sum=amount&avg=amount', ...groups.map((field) => `group_by=${field}&sum=amount`)];
  const queries = ofAll.flatMap((query) => [query, `${query}&${owner}`]);
  const all: SummaryLatency[] = [];
  for (const isExact of [false, true]) {
    for (const query of queries) {
      const times: number[] = [];
      for (let i = 0; i < (isExact ? Math.ceil(requests / 4) : requests); i++) {
        times.push((await read(pathOf(isExact ? `${query}&count=exact` : query))).ms);
      }
      const title = query.replace(owner, 'owner_id of the most frequent owner');
      all.push({ query: title, isExact, ...latencyOf(times) });
    }
  }
  return all;
}
