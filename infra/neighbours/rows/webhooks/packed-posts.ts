import { gzipSync } from 'node:zlib';
import { inWaves } from '../../flood/pace.ts';
import { HttpClient } from '@relata/testbed/http-client';
import { neighbour } from '../../neighbour.ts';

const count = 256;
/** As a burst, not as a load: the limit of a trigger lets through 100 a second. */
const everyMs = 6_000;

/** V4: each packed body, however small, reserves as much as the largest. */
export const packedPosts = neighbour({
  name: 'V4',
  resource: 'memory for packed bodies of deliveries',
  flood: `${count} packed posts of 60 bytes at once, to one trigger`,
  probes: ['webhook', 'sibling'],
  apps: ['webhook-ingest'],
  answers: { status: [202] },
  async run({ urls, flooder, signal, count: note }) {
    using client = new HttpClient(urls['webhook-ingest']!);
    const { path } = flooder.plain;
    const body = gzipSync(JSON.stringify({ event: 'form.submitted', email: 'ada@example.com' }));
    const headers = { ...flooder.plain.headers, 'content-encoding': 'gzip' };
    await inWaves(signal, { count, everyMs }, async () => {
      note(`status ${await client.statusOf({ method: 'POST', path, headers, body, signal })}`);
    });
  },
  hasEffect: ({ figures }) => figures['status 202']! >= count,
});
