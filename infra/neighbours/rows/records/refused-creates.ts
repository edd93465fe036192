import { randomUUID } from 'node:crypto';
import { atPace } from '../../flood/pace.ts';
import { HttpClient } from '@relata/testbed/http-client';
import { neighbour } from '../../neighbour.ts';

/** V2: creates that name what does not exist are refused one by one, in batches with other organizations' creates. */
const refusedCreates = (name: string, perSecond: number) =>
  neighbour({
    name,
    resource: 'batches of creates',
    flood: `${perSecond} creates a second that are refused: an unknown reference`,
    probes: ['activity', 'get'],
    apps: ['records-api'],
    answers: { status: [400] },
    async run({ urls, flooder, signal, count }) {
      using client = new HttpClient(urls['records-api']!);
      const headers = { 'x-api-key': flooder.keys[0]! };
      const send = (turn: number) => {
        const body = { content: `Refused ${turn}`, contact_ids: [randomUUID()] };
        return client.statusOf({ method: 'POST', path: '/v1/activities/custom', headers, body, signal });
      };
      await atPace(signal, perSecond, async (turn) => count(`status ${await send(turn)}`));
    },
    hasEffect: ({ figures }) => (figures['status 400'] ?? 0) >= 10,
  });

export const refusedCreatesAt40 = refusedCreates('V2', 40);
export const refusedCreatesAt100 = refusedCreates('V2-100', 100);
