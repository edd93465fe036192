import { createKey } from '@relata/auth';
import { operatorActor } from '@relata/events';
import { atRate, waited } from '../../flood/load-shapes.ts';
import type { FloodContext } from '../../flood/flood.ts';
import { senderTo } from '../../flood/requests.ts';
import { HttpClient } from '@relata/testbed/http-client';
import { neighbour } from '../../neighbour.ts';

const streamsCount = 46;
/** Number of streams that must open. On a busy machine a few are refused at first, so more are requested. */
const openMin = 40;
/** Number of keys. Each key may have 5 streams. */
const keysCount = 10;
const reopenedAfterMs = 1_000;
const batchesPerSecond = 5;
const itemsCount = 100;
/** Text with which a batch fills a page of a stream. */
const filling = 'x'.repeat(2_000);

interface Keys {
  keys: readonly string[];
}

export const eventStreams = neighbour<Keys>({
  name: 'event-streams',
  flood: `${streamsCount} streams of events while ${batchesPerSecond * itemsCount} large activities a second are created`,
  probes: ['get', 'page'],
  apps: ['records-api'],
  memory: { app: 'records-api', mostMb: 400 },
  responses: { stream: [200, 503], batch: [200] },
  async prepare({ database }, { orgId }) {
    const made = { name: 'streams', kind: 'secret', scopes: ['events:read', 'activities:write'] } as const;
    const keys: string[] = [];
    while (keys.length < keysCount) keys.push((await createKey({ database }, operatorActor(orgId, 'flood'), made)).key);
    return { keys };
  },
  async run(context) {
    using client = new HttpClient(context.urls['records-api']!);
    const streams = Array.from({ length: streamsCount }, (_, place) => follow(client, place, context));
    await Promise.all([...streams, write(context)]);
  },
  hasEffect: ({ figures }) => figures['stream 200']! >= openMin && figures['MB']! >= openMin,
});

async function follow(client: HttpClient, place: number, { own, signal, count }: FloodContext<Keys>): Promise<void> {
  const headers = { 'x-api-key': own.keys[place % keysCount]!, accept: 'text/event-stream' };
  while (!signal.aborted) {
    try {
      const response = await client.open({ path: '/v1/events?after=latest', headers, signal });
      count(`stream ${response.statusCode}`);
      if (response.statusCode !== 200) await waited(reopenedAfterMs, signal);
      for await (const chunk of response) count('MB', (chunk as Buffer).length / 1e6);
    } catch {
      if (!signal.aborted) count('stream 0');
    }
  }
}

async function write(context: FloodContext<Keys>): Promise<void> {
  const send = senderTo(context, 'records-api');
  const headers = { 'x-api-key': context.own.keys[0]! };
  await atRate(context.signal, batchesPerSecond, (turn) => {
    const items = Array.from({ length: itemsCount }, (_, at) => ({ content: `${turn}-${at} ${filling}` }));
    const body = { operation: 'create', items };
    return send({ method: 'POST', path: '/v1/activities/custom/batch', headers, body }, 'batch');
  });
}
