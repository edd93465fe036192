import { newId, openDatabase, statement } from '@relata/db';
import { Messaging, runsReady } from '@relata/messaging';
import { storeDeliveries } from '@relata/workflows/intake';
import type { FloodContext } from '../../flood/flood.ts';
import { atRate } from '../../flood/load-shapes.ts';
import { deliver } from '../../flood/requests.ts';
import { neighbour } from '../../neighbour.ts';
import { countRunsOf } from '../../test-bed/party.sql.ts';
import { createTestTrigger, type TestTrigger, workflowOf } from '@relata/testbed/fixtures';
import { findOtherEndings } from './flood-runs.ts';

const perSecond = 40;
const connectMs = 5_000;

/** Replaces a definition by one that uses an unknown step, as if another release had stored it. */
const spoil = statement<never>(
  'neighbours.spoil',
  `UPDATE workflow_versions v SET definition = '{"name":"spoilt","steps":[{"id":"a","use":"no.such","with":{}}]}'
   FROM workflows w WHERE v.org_id = $1 AND w.org_id = $1 AND w.id = v.workflow_id AND w.name = 'spoilt'`,
);

/** Error code of a run whose definition cannot be read. */
const unreadable = 'invalid_definition';

const countPassedOver = statement<{ n: number }>(
  'neighbours.passed_over',
  `SELECT count(*)::int AS n FROM webhook_deliveries
   WHERE org_id = $1 AND skipped -> 0 ->> 'reason' = 'filter_failed' AND skipped -> 1 ->> 'reason' = 'filter_failed'`,
);

const workflow = (name: string) =>
  workflowOf(name, {}, { id: 'log', use: 'activity.create', with: { content: 'Never written.' } });

export const deadWorkflows = neighbour<TestTrigger>({
  name: 'dead-workflows',
  flood: `${perSecond} deliveries a second to a workflow that can no longer be read and to one whose filter fails, and ${perSecond} runs a second of the unreadable one`,
  probes: ['run', 'webhook'],
  apps: ['webhook-ingest', 'workflow-worker'],
  prepare: async ({ database }, { orgId }) => {
    const failing = { ...workflow('filtered'), filter: 'payload.no.such.field > 1' };
    const target = await createTestTrigger(database, orgId, { assigned: [workflow('spoilt'), failing] });
    await database.query(spoil, [orgId]);
    return target;
  },
  responses: { status: [202] },
  async run(context) {
    await Promise.all([deliver(context, context.own, { perSecond }), startRuns(context)]);
  },
  // The receiver skips both workflows, and the worker fails the runs.
  async hasEffect({ bed, flooder: { orgId } }) {
    const { [unreadable]: failed = 0 } = await countRunsOf(bed.database, orgId);
    const [row] = await bed.database.query(countPassedOver, [orgId]);
    return failed >= perSecond && row!.n >= perSecond;
  },
  verify: (aftermath) => findOtherEndings(aftermath, unreadable),
});

/** Stores runs like a receiver of another release that can still read the definition. */
async function startRuns({
  databaseUrl,
  natsUrl,
  natsPrefix,
  own,
  flooder,
  signal,
}: FloodContext<TestTrigger>): Promise<void> {
  await using database = openDatabase({ url: databaseUrl, name: 'dead-workflows', poolMax: 2 });
  await using messaging = new Messaging({ url: natsUrl, name: 'dead-workflows', prefix: natsPrefix });
  await messaging.connected(connectMs);
  const { orgId } = flooder;
  const { triggerId, workflowIds } = own;
  // Only the first workflow cannot be read.
  const workflowId = workflowIds[0]!;
  const body = Buffer.from('{}');
  await atRate(signal, perSecond, async () => {
    const run = { id: newId(), workflowId, version: 1, isLimited: false, inputs: '{}' };
    const delivery = { orgId, id: newId(), triggerId, keyHash: undefined, body, headers: {}, skipped: [], runs: [run] };
    await storeDeliveries(database, [delivery]);
    messaging.enqueue(runsReady, { runs: [[orgId, run.id]] });
  });
}
