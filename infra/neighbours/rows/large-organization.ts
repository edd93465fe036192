import { atRate } from '../flood/load-shapes.ts';
import type { Sent } from '@relata/testbed/http-client';
import { deliver, senderTo } from '../flood/requests.ts';
import { neighbour } from '../neighbour.ts';
import { insertAccounts } from '../test-bed/party.sql.ts';

const records = 1_000_000;
const perSecond = 300;

/** Returns the next request of a large customer's program: it reads, turns pages, changes and creates records. */
function sentAt(turn: number, ids: readonly string[]): Sent {
  const id = ids[turn % ids.length]!;
  const accounts = '/v1/records/accounts';
  if (turn % 10 < 6) return { path: `${accounts}/${id}` };
  if (turn % 10 < 8) return { path: `${accounts}?offset=${(turn * 7_919) % records}` };
  if (turn % 10 < 9) return { method: 'PATCH', path: `${accounts}/${id}`, body: { city: `City ${turn}` } };
  return { method: 'POST', path: accounts, body: { account_name: `Large ${turn}` } };
}

export const largeOrganization = neighbour<void>({
  name: 'large',
  flood: `an organization of a million records: ${perSecond} requests and as many deliveries a second, three times its limits`,
  probes: ['get', 'post', 'webhook'],
  apps: ['records-api', 'webhook-ingest'],
  settings: { API_RATE_LIMIT: '1000/10s', WEBHOOK_RATE_LIMIT: '1000/10s' },
  async prepare({ database }, { orgId }) {
    await insertAccounts(database, orgId, { from: 501, to: records, domain: 'large.example' });
  },
  responses: { api: [200, 201, 429], webhook: [202, 429] },
  async run(context) {
    const { flooder, signal } = context;
    const send = senderTo(context, 'records-api');
    const ask = (turn: number) => send(sentAt(turn, flooder.accountIds), 'api');
    const delivering = deliver(context, flooder.plain, { perSecond, figure: 'webhook' });
    await Promise.all([atRate(signal, perSecond, ask), delivering]);
  },
  hasEffect: ({ figures }) => figures['api 429']! >= 10 && figures['webhook 429']! >= 10,
});
