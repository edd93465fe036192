import { newId, openDatabase, statement } from '@relata/db';
import { Messaging, runsReady } from '@relata/messaging';
import { listWorkflows } from '@relata/workflows';
import { storeDeliveries } from '@relata/workflows/intake';
import type { FloodContext } from '../../flood/flood.ts';
import { atPace } from '../../flood/pace.ts';
import { HttpClient } from '@relata/testbed/http-client';
import { neighbour } from '../../neighbour.ts';
import { countRunsOf } from '../../test-bed/party.sql.ts';
import { createTarget, type Target } from '../../test-bed/party.ts';
import { findOtherEndings } from './flood-runs.ts';

const perSecond = 40;
const connectMs = 5_000;

/** A definition that only an older release would have accepted. */
const spoil = statement<never>(
  'neighbours.spoil',
  `UPDATE workflow_versions v SET definition = '{"name":"spoilt","steps":[{"id":"a","use":"no.such","with":{}}]}'
   FROM workflows w WHERE v.org_id = $1 AND w.org_id = $1 AND w.id = v.workflow_id AND w.name = 'spoilt'`,
);

/** The code of a run whose definition cannot be read. */
const unreadable = 'invalid_definition';

const countPassedOver = statement<{ n: number }>(
  'neighbours.passed_over',
  `SELECT count(*)::int AS n FROM webhook_deliveries
   WHERE org_id = $1 AND skipped -> 0 ->> 'reason' = 'filter_failed' AND skipped -> 1 ->> 'reason' = 'filter_failed'`,
);

const workflow = (name: string) => ({
  definition: { name, inputs: {}, steps: [{ id: 'log', use: 'activity.create', with: { content: 'Never written.' } }] },
  inputs: {},
});

/** A trigger of both workflows, and the one that cannot be read. */
interface Dead extends Target {
  workflowId: string;
}

/** Workflows that cannot be read any more, and filters that fail. */
export const deadWorkflows = neighbour<Dead>({
  name: 'dead-workflows',
  resource: 'triggers and workers',
  flood: `${perSecond} deliveries a second to a workflow that cannot be read any more and one whose filter fails, and as many runs of the former`,
  probes: ['run', 'webhook'],
  apps: ['webhook-ingest', 'workflow-worker'],
  prepare: async ({ database }, { orgId }) => {
    const failing = { ...workflow('filtered'), filter: 'payload.no.such.field > 1' };
    const target = await createTarget(database, orgId, workflow('spoilt'), failing);
    await database.query(spoil, [orgId]);
    const workflows = await listWorkflows(database, orgId);
    return { ...target, workflowId: workflows.find(({ name }) => name === 'spoilt')!.id };
  },
  answers: { status: [202] },
  async run(context) {
    await Promise.all([deliver(context), startRuns(context)]);
  },
  // The receiver passes over both workflows, and the worker gives up the runs.
  async hasEffect({ bed, flooder: { orgId } }) {
    const { [unreadable]: failed = 0 } = await countRunsOf(bed.database, orgId);
    const [row] = await bed.database.query(countPassedOver, [orgId]);
    return failed >= perSecond && row!.n >= perSecond;
  },
  verify: (aftermath) => findOtherEndings(aftermath, unreadable),
});

async function deliver({ urls, own, signal, count }: FloodContext<Dead>): Promise<void> {
  using client = new HttpClient(urls['webhook-ingest']!);
  const { path, headers } = own;
  await atPace(signal, perSecond, async (turn) => {
    count(`status ${await client.statusOf({ method: 'POST', path, headers, body: { turn }, signal })}`);
  });
}

/** Stores runs as a receiver of another release does, which still can read the definition. */
async function startRuns({
  databaseUrl,
  natsUrl,
  natsPrefix,
  own,
  flooder,
  signal,
}: FloodContext<Dead>): Promise<void> {
  await using database = openDatabase({ url: databaseUrl, name: 'dead-workflows', poolMax: 2 });
  await using messaging = new Messaging({ url: natsUrl, name: 'dead-workflows', prefix: natsPrefix });
  await messaging.connected(connectMs);
  const { orgId } = flooder;
  const { triggerId, workflowId } = own;
  const body = Buffer.from('{}');
  await atPace(signal, perSecond, async () => {
    const run = { id: newId(), workflowId, version: 1, isLimited: false, inputs: {} };
    const delivery = { orgId, id: newId(), triggerId, keyHash: undefined, body, headers: {}, skipped: [], runs: [run] };
    await storeDeliveries(database, [delivery]);
    messaging.enqueue(runsReady, { runs: [[orgId, run.id]] });
  });
}
