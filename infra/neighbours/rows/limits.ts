import { atPace } from '../flood/pace.ts';
import { HttpClient } from '@relata/testbed/http-client';
import { neighbour } from '../neighbour.ts';

const perSecond = 300;

/** A key that sends more requests than its limit allows. */
export const keyLimit = neighbour({
  name: 'limit-key',
  resource: 'the records API',
  flood: `${perSecond} requests a second with one key, three times what it may`,
  probes: ['get', 'post'],
  apps: ['records-api'],
  // As many a second as in production, in a window that a short flood fills.
  settings: { API_RATE_LIMIT: '1000/10s' },
  answers: { status: [200, 429] },
  async run({ urls, flooder, signal, count }) {
    using client = new HttpClient(urls['records-api']!);
    const headers = { 'x-api-key': flooder.keys[0]! };
    const path = `/v1/records/accounts/${flooder.accountIds[0]}`;
    await atPace(signal, perSecond, async () => count(`status ${await client.statusOf({ path, headers, signal })}`));
  },
  hasEffect: ({ figures }) => figures['status 429']! >= 10,
});

/** A trigger that gets more deliveries than its limit allows. */
export const triggerLimit = neighbour({
  name: 'limit-trigger',
  resource: 'the webhook receiver',
  flood: `${perSecond} deliveries a second to one trigger, three times what it may`,
  probes: ['webhook', 'sibling'],
  apps: ['webhook-ingest'],
  settings: { WEBHOOK_RATE_LIMIT: '1000/10s' },
  answers: { status: [202, 429] },
  async run({ urls, flooder, signal, count }) {
    using client = new HttpClient(urls['webhook-ingest']!);
    const { path, headers } = flooder.plain;
    await atPace(signal, perSecond, async (turn) => {
      count(`status ${await client.statusOf({ method: 'POST', path, headers, body: { turn }, signal })}`);
    });
  },
  hasEffect: ({ figures }) => figures['status 429']! >= 10,
});
