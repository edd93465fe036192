import { type Database, openDatabase } from '@relata/db';
import { Messaging, runsPerMessageMax, runsReady } from '@relata/messaging';
import {
  type Delivery,
  findDelivery,
  listAssignedWorkflows,
  listDeliveries,
  openAssignment,
  readDefinition,
  replayDelivery,
  startRuns,
} from '@relata/workflows';
import type { FloodContext } from '../flood.ts';
import { HttpClient } from '../http.client.ts';
import { neighbour } from '../neighbour.ts';

const deliveriesCount = 100;
/** Tools of an operator that run side by side. */
const toolsCount = 2;
const natsWithinMs = 5_000;

/** An operator starts new runs for everything that an organization was ever sent. */
export const bulkReplays = neighbour({
  name: 'bulk-replays',
  resource: 'places of a worker',
  flood: `${toolsCount} tools that replay deliveries without a pause`,
  allowed: 3,
  probes: ['run', 'webhook'],
  apps: ['webhook-ingest', 'workflow-worker', 'records-api'],
  async run(context) {
    const { databaseUrl, natsUrl, natsPrefix, flooder, signal } = context;
    await using database = openDatabase({ url: databaseUrl, name: 'replays', poolMax: toolsCount });
    await using messaging = new Messaging({ url: natsUrl, prefix: natsPrefix, name: 'replays' });
    await messaging.connected(natsWithinMs);
    await deliver(context);
    const deliveries = await listDeliveries(database, flooder.orgId, { limit: deliveriesCount });
    const replayOnAndOn = async () => {
      for (let at = 0; !signal.aborted; at++) {
        const ids = await replay(database, deliveries[at % deliveries.length]!);
        context.count('replayed', ids.length);
        for (let from = 0; from < ids.length; from += runsPerMessageMax)
          messaging.ring(runsReady, {
            runs: ids.slice(from, from + runsPerMessageMax).map((id) => [flooder.orgId, id]),
          });
      }
    };
    await Promise.all(Array.from({ length: toolsCount }, replayOnAndOn));
  },
  hasEffect: ({ figures }) => figures['replayed']! >= 100,
});

async function deliver({ urls, flooder, signal }: FloodContext<unknown>): Promise<void> {
  using client = new HttpClient(urls['webhook-ingest']!);
  const { path, headers } = flooder.leads;
  const posts = Array.from({ length: deliveriesCount }, (_, turn) => {
    const body = { email: `replayed-${turn}@crowd.example` };
    return client.statusOf({ method: 'POST', path, headers, body, signal });
  });
  await Promise.all(posts);
}

/** What `relata deliveries replay` does. */
async function replay(database: Database, { id, org_id: orgId, trigger_id: triggerId }: Delivery): Promise<string[]> {
  return database.transaction(async (db) => {
    const delivery = (await findDelivery(db, orgId, id))!;
    const assigned = await listAssignedWorkflows(db, orgId, triggerId);
    const opened = assigned.map((workflow) => openAssignment(workflow, readDefinition(workflow.definition).inputs));
    const { runs } = startRuns(opened, JSON.parse(delivery.body.toString('utf8')));
    return (await replayDelivery(db, delivery, runs)) ?? [];
  });
}
