import { randomUUID } from 'node:crypto';
import { atRate } from '../../flood/load-shapes.ts';
import { senderTo } from '../../flood/requests.ts';
import { neighbour } from '../../neighbour.ts';

/**
 * V2: returns a row whose creates refer to missing records. The service batches them with creates of other
 * organizations, and must refuse only the wrong ones.
 */
const refusedCreates = (name: string, perSecond: number) =>
  neighbour({
    name,
    flood: `${perSecond} creates a second that are refused for an unknown reference`,
    probes: ['activity', 'get'],
    apps: ['records-api'],
    responses: { status: [400] },
    async run(context) {
      const send = senderTo(context, 'records-api');
      await atRate(context.signal, perSecond, (turn) => {
        const body = { content: `Refused ${turn}`, contact_ids: [randomUUID()] };
        return send({ method: 'POST', path: '/v1/activities/custom', body });
      });
    },
    hasEffect: ({ figures }) => (figures['status 400'] ?? 0) >= 10,
  });

export const refusedCreatesAt40 = refusedCreates('V2', 40);
export const refusedCreatesAt100 = refusedCreates('V2-100', 100);
