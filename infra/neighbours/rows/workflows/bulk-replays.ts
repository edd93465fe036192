import { openDatabase } from '@relata/db';
import { busOn, operatorActor, type OperationContext } from '@relata/events';
import { Messaging } from '@relata/messaging';
import { listDeliveries, replayDelivery } from '@relata/workflows/deliveries';
import { retryFailedRuns } from '@relata/workflows/runs';
import { waited } from '../../flood/load-shapes.ts';
import type { FloodContext } from '../../flood/flood.ts';
import { senderTo } from '../../flood/requests.ts';
import { neighbour } from '../../neighbour.ts';
import { createTestTrigger, requiredText, type TestTrigger, workflowOf } from '@relata/testbed/fixtures';

const deliveriesCount = 400;
const perSecond = 80;
/** Pause between two commands of an operator, because the tool would need this time to start. */
const commandMs = 500;
const connectMs = 5_000;

type Flood = FloodContext<TestTrigger>;

const failing = workflowOf(
  'fails',
  { email: requiredText, none: requiredText },
  {
    id: 'contact',
    use: 'contact.upsert',
    with: { match: { email: '${{ inputs.email }}' }, set: { first_name: 'To', last_name: 'Be Retried' } },
  },
  { id: 'refused', use: 'contact.upsert', with: { match: { email: '${{ inputs.none }}' }, set: { title: 'None' } } },
);

export const bulkReplays = neighbour<TestTrigger>({
  name: 'bulk-replays',
  flood: `an operator who retries all ${deliveriesCount} failed runs again and again, and another who replays deliveries`,
  probes: ['run', 'webhook'],
  apps: ['webhook-ingest', 'workflow-worker'],
  prepare: ({ database }, { orgId }) => createTestTrigger(database, orgId, { assigned: [failing] }),
  responses: { status: [202] },
  async run(context) {
    await deliverAll(context);
    const { databaseUrl, natsUrl, natsPrefix } = context;
    await using database = openDatabase({ url: databaseUrl, name: 'replays', poolMax: 2 });
    await using messaging = new Messaging({ url: natsUrl, name: 'replays', prefix: natsPrefix });
    await messaging.connected(connectMs);
    const operating = { database, bus: busOn(messaging) };
    await Promise.all([retryOnAndOn(context, operating), replayOnAndOn(context, operating)]);
  },
  hasEffect: ({ figures }) => figures['retried']! >= deliveriesCount && figures['replayed']! >= 2,
});

async function deliverAll(context: Flood): Promise<void> {
  const { own, signal } = context;
  const send = senderTo(context, 'webhook-ingest');
  for (let sent = 0; sent < deliveriesCount && !signal.aborted; sent++) {
    const body = { email: `retried-${sent}@crowd.example`, none: 'no address' };
    await send({ method: 'POST', path: own.path, headers: own.headers, body });
    await waited(1_000 / perSecond, signal);
  }
}

async function retryOnAndOn({ flooder, signal, count }: Flood, operating: OperationContext): Promise<void> {
  while (!signal.aborted) {
    const { retried } = await retryFailedRuns(operating, operatorActor(flooder.orgId, 'flood'), {});
    count('retried', retried.length);
    await waited(commandMs, signal);
  }
}

async function replayOnAndOn({ flooder, signal, count }: Flood, operating: OperationContext): Promise<void> {
  const deliveries = await listDeliveries(operating.database, flooder.orgId, { limit: 100 });
  for (let at = 0; !signal.aborted; at++) {
    await replayDelivery(operating, operatorActor(flooder.orgId, 'flood'), deliveries[at % deliveries.length]!.id);
    count('replayed');
    await waited(commandMs, signal);
  }
}
