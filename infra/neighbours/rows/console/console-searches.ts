import { HttpClient } from '@relata/testbed/http-client';
import { neighbour } from '../../neighbour.ts';
import { insertDeliveries } from '../../test-bed/party.sql.ts';

const deliveries = 10_000;
const tabs = 4;

/** Both kinds of search read every delivery and find nothing. */
const searches = [{ text: 'nobody@nowhere.example' }, { where: 'payload.message.contains("nowhere")' }];

/**
 * A person searches all deliveries in several tabs, as the pages do: each search goes on until it has read everything.
 */
export const consoleSearches = neighbour<void>({
  name: 'console-searches',
  flood: `one person who searches ${deliveries.toLocaleString('en')} deliveries in ${tabs} tabs, again and again`,
  probes: ['console'],
  apps: ['console'],
  prepare: ({ database }, { orgId, plain }) => insertDeliveries(database, orgId, plain.triggerId, deliveries),
  // A session may send 1,200 requests a minute (429). One of four concurrent searches may wait longer than 5 s (503).
  responses: { status: [200, 429, 503] },
  async run({ urls, flooder: { orgId, cookie }, signal, count }) {
    using client = new HttpClient(urls['console']!);
    const path = `/console/api/orgs/${orgId}/deliveries/search`;
    const headers = { cookie, 'sec-fetch-site': 'same-origin' };
    const ask = (body: object) =>
      client.send({ method: 'POST', path, headers, body, signal }).catch(() => ({ status: 0, text: '' }));
    const searchInTab = async (tab: number) => {
      const search = searches[tab % searches.length];
      let before: string | null = null;
      while (!signal.aborted) {
        const { status, text } = await ask({ ...search, ...(before !== null && { before }) });
        if (signal.aborted) return;
        count(`status ${status}`);
        if (status !== 200) continue;
        before = (JSON.parse(text) as { next: string | null }).next;
        if (before === null) count('whole searches');
      }
    };
    await Promise.all(Array.from({ length: tabs }, (_, tab) => searchInTab(tab)));
  },
  hasEffect: ({ figures }) => figures['status 200']! >= 10,
});
