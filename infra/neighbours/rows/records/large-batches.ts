import { inWaves } from '../../flood/load-shapes.ts';
import { senderTo } from '../../flood/requests.ts';
import { neighbour } from '../../neighbour.ts';

const itemsMax = 500;
const streams = 8;

interface Batches {
  name: string;
  flood: string;
  body: { operation: string; atomic?: boolean };
  itemOf: (place: number, wave: number, index: number) => unknown;
}

/** Returns a row in which several keys each send the largest batches, one after another. */
const largeBatches = ({ name, flood, body, itemOf }: Batches) =>
  neighbour({
    name,
    flood,
    probes: ['get', 'post'],
    apps: ['records-api'],
    responses: { status: [200] },
    async run(context) {
      const send = senderTo(context, 'records-api');
      const path = '/v1/records/accounts/batch';
      await inWaves(context.signal, { count: streams, everyMs: 0 }, (place, wave) => {
        const headers = { 'x-api-key': context.flooder.keys[place]! };
        const items = Array.from({ length: itemsMax }, (_, index) => itemOf(place, wave, index));
        return send({ method: 'POST', path, headers, body: { ...body, items } });
      });
    },
    hasEffect: ({ figures }) => (figures['status 200'] ?? 0) >= streams,
  });

const unique = (place: number, wave: number, index: number) => `flood-${place}-${wave}-${index}`;

export const createBatches = largeBatches({
  name: 'batches',
  flood: `${streams} streams of batches of ${itemsMax} creates`,
  body: { operation: 'create' },
  itemOf: (place, wave, index) => ({ account_name: unique(place, wave, index), tags: ['flood'] }),
});

export const atomicUpserts = largeBatches({
  name: 'batches-atomic',
  flood: `${streams} streams of atomic batches of ${itemsMax} upserts`,
  body: { operation: 'upsert', atomic: true },
  itemOf: (place, wave, index) => ({
    match: { domain: `${unique(place, wave, index)}.example` },
    set: { account_name: 'Flood' },
  }),
});
