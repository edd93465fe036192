import { atRate } from '../flood/load-shapes.ts';
import { deliver, senderTo } from '../flood/requests.ts';
import { neighbour } from '../neighbour.ts';

const perSecond = 300;

export const keyLimit = neighbour({
  name: 'limit-key',
  flood: `${perSecond} requests a second with one key, three times its limit`,
  probes: ['get', 'post'],
  apps: ['records-api'],
  // The same rate as in production, but in a window that a short flood fills.
  settings: { API_RATE_LIMIT: '1000/10s' },
  responses: { status: [200, 429] },
  async run(context) {
    const send = senderTo(context, 'records-api');
    const path = `/v1/records/accounts/${context.flooder.accountIds[0]}`;
    await atRate(context.signal, perSecond, () => send({ path }));
  },
  hasEffect: ({ figures }) => figures['status 429']! >= 10,
});

export const triggerLimit = neighbour({
  name: 'limit-trigger',
  flood: `${perSecond} deliveries a second to one trigger, three times its limit`,
  probes: ['webhook', 'sibling'],
  apps: ['webhook-ingest'],
  settings: { WEBHOOK_RATE_LIMIT: '1000/10s' },
  responses: { status: [202, 429] },
  run: (context) => deliver(context, context.flooder.plain, { perSecond }),
  hasEffect: ({ figures }) => figures['status 429']! >= 10,
});
