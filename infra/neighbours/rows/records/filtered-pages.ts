import { atRate } from '../../flood/load-shapes.ts';
import { HttpClient } from '@relata/testbed/http-client';
import { neighbour } from '../../neighbour.ts';
import { insertAccounts } from '../../test-bed/party.sql.ts';

const domain = 'crowd.example';
const patienceMs = 5_000;
const answeredMin = 10;

interface PagesOptions {
  name: string;
  flood: string;
  matches: number;
  perSecond: number;
  /** Returns a path with a different page each time, because concurrent requests for the same page share one read. */
  pathOf: (turn: number) => string;
}

const pages = ({ name, flood, matches, perSecond, pathOf }: PagesOptions) =>
  neighbour<void>({
    name,
    flood,
    probes: ['get', 'post'],
    apps: ['records-api'],
    prepare: ({ database }, { orgId }) => insertAccounts(database, orgId, { from: 1_001, to: matches + 1_000, domain }),
    responses: { status: [200, 503] },
    async run({ urls, flooder, signal, count }) {
      using client = new HttpClient(urls['records-api']!);
      const headers = { 'x-api-key': flooder.keys[0]! };
      await atRate(signal, perSecond, async (turn) => {
        count('begun');
        const either = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
        const status = await client.statusOf({ path: pathOf(turn), headers, signal: either });
        count(status === 0 && either.aborted ? 'given up' : `status ${status}`);
      });
    },
    // More pages are requested than can be answered, and enough are answered.
    hasEffect: ({ figures }) => figures['begun']! >= perSecond && figures['status 200']! >= answeredMin,
  });

/** V9: tests that filtered pages, which count all matches, leave connections for other requests. */
export const filteredPages = pages({
  name: 'V9',
  flood: '90 filtered pages a second over 300,000 matches',
  matches: 300_000,
  perSecond: 90,
  pathOf: (turn) => `/v1/records/accounts?domain=${domain}&offset=${turn}`,
});

export const deepPages = pages({
  name: 'deep-pages',
  flood: '30 filtered pages a second at an offset of 200,000',
  matches: 300_000,
  perSecond: 30,
  pathOf: (turn) => `/v1/records/accounts?domain=${domain}&limit=100&offset=${200_000 + turn}`,
});
