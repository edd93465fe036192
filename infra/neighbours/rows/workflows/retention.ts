import { openDatabase, statement } from '@relata/db';
import { dropOld } from '@relata/workflows/execution';
import { aborted } from '../../flood/load-shapes.ts';
import { type FloodView, neighbour } from '../../neighbour.ts';

const deliveriesCount = 200_000;
const keptMs = 30 * 86_400_000;

const inLoad = statement<never>('', 'SET LOCAL session_replication_role = replica');

/** Inserts old deliveries. Their ids contain the time. */
const insertDeliveries = statement<never>(
  'neighbours.old_deliveries',
  `INSERT INTO webhook_deliveries (org_id, id, trigger_id, body, headers, received_at)
   SELECT $1::uuid, uuidv7(interval '-40 days'), $2::uuid, convert_to(repeat('{"a":1} ', 40), 'UTF8'),
     '{"content-type":"application/json"}', now() - interval '40 days'
   FROM generate_series(1, $3::int)`,
);

const insertRuns = statement<never>(
  'neighbours.old_runs',
  `INSERT INTO workflow_runs (org_id, id, workflow_id, version, delivery_id, trigger_id, inputs, status, epoch, due_at,
     created_at, started_at, finished_at)
   SELECT d.org_id, uuidv7(interval '-40 days'), w.id, 1, d.id, d.trigger_id, '{}', 'succeeded', 1, d.received_at,
     d.received_at, d.received_at, d.received_at
   FROM webhook_deliveries d CROSS JOIN LATERAL (SELECT id FROM workflows WHERE org_id = $1 LIMIT 1) w
   WHERE d.org_id = $1`,
);

/** Inserts the journals of the runs, so that retention has to drop them, too. */
const insertSteps = statement<never>(
  'neighbours.old_steps',
  `INSERT INTO workflow_run_steps (org_id, run_id, path, position, use, status, attempts, input, output, started_at,
     finished_at)
   SELECT r.org_id, r.id, 'contact', 0, 'contact.upsert', 'succeeded', 1, '{"match":{"email":"ada@crowd.example"}}',
     json_build_object('id', r.id, 'title', repeat('x', 200)), r.created_at, r.created_at
   FROM workflow_runs r WHERE r.org_id = $1`,
);

interface Kept {
  deliveries: number;
  runs: number;
  steps: number;
}

const countKept = statement<Kept>(
  'neighbours.kept',
  `SELECT (SELECT count(*) FROM webhook_deliveries WHERE org_id = $1)::int AS deliveries,
     (SELECT count(*) FROM workflow_runs WHERE org_id = $1)::int AS runs,
     (SELECT count(*) FROM workflow_run_steps WHERE org_id = $1)::int AS steps`,
);

/** Counts the remaining rows of the flood's organization, which are all old. */
async function keptOf({ bed, flooder }: FloodView): Promise<Kept> {
  return (await bed.database.query(countKept, [flooder.orgId]))[0]!;
}

export const retention = neighbour<void>({
  name: 'retention',
  flood: `retention that deletes ${deliveriesCount.toLocaleString('en-US')} deliveries with their runs and journals`,
  probes: ['webhook', 'run', 'get'],
  apps: ['webhook-ingest', 'workflow-worker', 'records-api'],
  prepare: ({ database }, { orgId, plain }) =>
    database.transaction(async (db) => {
      await db.query(inLoad, []);
      await db.query(insertDeliveries, [orgId, plain.triggerId, deliveriesCount]);
      await db.query(insertRuns, [orgId]);
      await db.query(insertSteps, [orgId]);
    }),
  responses: {},
  // Retention runs here, because a worker would begin it at a random time. PostgreSQL does most of its work.
  async run({ databaseUrl, signal, count }) {
    await using database = openDatabase({ url: databaseUrl, name: 'retention', poolMax: 1 });
    const dropped = await dropOld(database, keptMs, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    if (dropped) count('dropped', dropped.deliveries);
    await aborted(signal);
  },
  async hasEffect(view) {
    const { runs, steps } = await keptOf(view);
    return runs < deliveriesCount && steps < deliveriesCount;
  },
  async verify(aftermath) {
    const { deliveries, runs, steps } = await keptOf(aftermath);
    const problems = [];
    if (runs > deliveriesCount / 2) problems.push(`only ${deliveriesCount - runs} runs were dropped`);
    if (steps !== runs) problems.push(`${runs} runs and ${steps} rows of their journals were left`);
    if (deliveries < runs) problems.push(`${runs} runs and ${deliveries} deliveries were left`);
    return problems;
  },
});
