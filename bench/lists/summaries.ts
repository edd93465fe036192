import { HttpClient } from '@relata/testbed/http-client';
import { quantile } from '@relata/testbed/quantile';

/** Times of one kind of summary of all opportunities. */
export interface SummaryLatency {
  /** Query parameters of the summary. */
  query: string;
  /** True if the query has `count=exact`. */
  isExact: boolean;
  p50Ms: number;
  p99Ms: number;
}

interface SummaryOptions {
  url: string;
  key: string;
  /** Requests of each kind; exact summaries get a quarter. */
  requests: number;
}

interface Group {
  owner_id: string | null;
}

/** Measures summaries by each group, without a filter and with the most frequent owner, one request at a time. */
export async function measureSummaries({ url, key, requests }: SummaryOptions): Promise<SummaryLatency[]> {
  const client = new HttpClient(url);
  const read = async (query: string) => {
    const path = `/v1/records/opportunities/summary?${query}`;
    const { status, text } = await client.send({ path, headers: { 'x-api-key': key } });
    if (status !== 200) throw new Error(`${path} was answered with ${status}: ${text.slice(0, 300)}`);
    return (JSON.parse(text) as { data: Group[] }).data;
  };
  const owners = await read('group_by=owner_id&count=exact');
  const owner = `owner_id=${owners.find(({ owner_id: id }) => id !== null)!.owner_id}`;
  const groups = ['stage_id', 'owner_id', 'account_id', 'pipeline'];
  const ofAll = ['sum=amount&avg=amount', ...groups.map((field) => `group_by=${field}&sum=amount`)];
  const queries = ofAll.flatMap((query) => [query, `${query}&${owner}`]);
  const all: SummaryLatency[] = [];
  for (const isExact of [false, true]) {
    for (const query of queries) {
      const times: number[] = [];
      for (let i = 0; i < (isExact ? Math.ceil(requests / 4) : requests); i++) {
        const begun = performance.now();
        await read(isExact ? `${query}&count=exact` : query);
        times.push(performance.now() - begun);
      }
      const sorted = times.toSorted((a, b) => a - b);
      const title = query.replace(owner, 'owner_id of the most frequent owner');
      all.push({ query: title, isExact, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) });
    }
  }
  return all;
}
