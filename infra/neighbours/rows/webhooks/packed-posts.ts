import { gzipSync } from 'node:zlib';
import { inWaves } from '../../flood/load-shapes.ts';
import { senderTo } from '../../flood/requests.ts';
import { neighbour } from '../../neighbour.ts';

const count = 256;
/** Interval between bursts: the limit of a trigger lets through 100 a second. */
const everyMs = 6_000;

/** V4: tests that small compressed bodies do not reserve as much memory as the largest. */
export const packedPosts = neighbour({
  name: 'V4',
  flood: `${count} compressed posts of 60 bytes at once, to one trigger`,
  probes: ['webhook', 'sibling'],
  apps: ['webhook-ingest'],
  responses: { status: [202] },
  async run(context) {
    const { path, headers: opening } = context.flooder.plain;
    const send = senderTo(context, 'webhook-ingest');
    const body = gzipSync(JSON.stringify({ event: 'form.submitted', email: 'ada@example.com' }));
    const headers = { ...opening, 'content-encoding': 'gzip' };
    await inWaves(context.signal, { count, everyMs }, () => send({ method: 'POST', path, headers, body }));
  },
  hasEffect: ({ figures }) => figures['status 202']! >= count,
});
