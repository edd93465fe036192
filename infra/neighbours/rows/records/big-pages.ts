import { finished } from 'node:stream/promises';
import { statement } from '@relata/db';
import { inWaves } from '../../flood/load-shapes.ts';
import { HttpClient } from '@relata/testbed/http-client';
import { neighbour } from '../../neighbour.ts';

/** Limit of one key (API_RATE_LIMIT). */
const perSecond = 100;
const readersCount = 16;
const rows = 1_000;
const limit = 100;

/** Inserts activities of 10 KB. A page of 100 has the maximum size of a page, 1 MB. */
const insertActivities = statement<never>(
  'neighbours.page_activities',
  `INSERT INTO custom_activities (org_id, id, content, source)
   SELECT $1::uuid, uuidv7(), repeat('€', 3400), 'flood' FROM generate_series(1, $2::int)`,
);

/** Readers that take the largest pages completely, one after the other, as fast as a key may request them. */
export const bigPages = neighbour<void>({
  name: 'big-pages',
  flood: `${readersCount} clients that read up to ${perSecond} pages of 1 MB a second completely`,
  probes: ['get', 'post', 'page'],
  apps: ['records-api'],
  memory: { app: 'records-api', mostMb: 400 },
  prepare: async ({ database }, { orgId }) => void (await database.query(insertActivities, [orgId, rows])),
  responses: { status: [200, 503] },
  async run({ urls, flooder, signal, count }) {
    using client = new HttpClient(urls['records-api']!);
    const headers = { 'x-api-key': flooder.keys[0]! };
    let pages = 0;
    const read = async () => {
      // A different page each time, because concurrent requests for the same page share one read.
      const path = `/v1/activities/custom?limit=${limit}&offset=${(pages++ * 7) % (rows - limit)}`;
      const response = await client.open({ path, headers, signal }).catch(() => undefined);
      count(`status ${response?.statusCode ?? 0}`);
      response?.on('data', (chunk: Buffer) => count('bytes', chunk.length));
      if (response) await finished(response).catch(() => count('cut off'));
    };
    const everyMs = (1_000 * readersCount) / perSecond;
    await Promise.all(Array.from({ length: readersCount }, () => inWaves(signal, { count: 1, everyMs }, read)));
  },
  hasEffect: ({ figures }) => figures['status 200']! >= perSecond && figures['bytes']! >= perSecond * 1_000_000,
});
