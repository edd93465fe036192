import { say } from '@relata/testbed/suite-program';
import { idOf, loadPast, vacuum } from '../past.sql.ts';
import type { IngestDatabase } from './ingest-database.ts';

const others = 10;
const chunkRows = 250_000;

/**
 * Loads deliveries of the past, each with a run that has ended and the two rows of the run's journal. Half of them
 * belong to the bench's own organization, half to ten others.
 */
export async function loadOldDeliveries(database: IngestDatabase, count: number): Promise<void> {
  const otherIds: string[] = [];
  for (let i = 1; i <= others; i++) otherIds.push(await database.createOrganization(`Other ${i}`));
  const { triggerId } = database.targets[1];
  const load = (title: string, statement: string) =>
    loadPast({
      url: database.url,
      count,
      chunkRows,
      days: [20, 1],
      loaders: 1,
      title,
      load: (client, { from, to, sinceMs, stepMs }) => {
        const chunk = from / chunkRows;
        const orgId = chunk % 2 === 0 ? database.orgId : otherIds[((chunk - 1) / 2) % others];
        return client.query(statement, [orgId, triggerId, database.workflowId, from, to, sinceMs, stepMs]);
      },
    });
  await Promise.all([
    load('old deliveries', insertDeliveries).then(() => load('old runs', insertRuns)),
    load('old journals', insertSteps),
  ]);
  say('vacuuming the rows');
  await vacuum(database.admin, 'webhook_deliveries', 'workflow_runs', 'workflow_run_steps');
}

const numbered = `FROM (
    SELECT i, ($6::float8 + i * $7::float8)::bigint AS ms FROM generate_series($4::bigint, $5::bigint) i
  ) g CROSS JOIN LATERAL (
    SELECT to_timestamp(ms / 1000.0) AS at, i % 100 = 0 AS is_failed, 'old-' || i || '@robotics.example' AS email
  ) t`;

/**
 * Every statement takes the same parameters, and PostgreSQL must know the type of each, even if a statement does not
 * use it.
 */
const untouched = (...places: number[]) => places.map((place) => `$${place}::uuid IS NOT NULL`).join(' AND ');

const insertDeliveries = `
  INSERT INTO webhook_deliveries (org_id, id, trigger_id, body, headers, received_at)
  SELECT $1::uuid, ${idOf('d')}, $2::uuid,
    convert_to('{"event":"form.submitted","user":{"email":"' || email || '","name":"Visitor"},"message":"' || repeat('x', 160) || '"}', 'UTF8'),
    '{"content-type":"application/json"}', at
  ${numbered} WHERE ${untouched(3)}`;

const insertRuns = `
  INSERT INTO workflow_runs (org_id, id, workflow_id, version, delivery_id, trigger_id, inputs, status, epoch, due_at,
    worker, error, created_at, started_at, finished_at)
  SELECT $1::uuid, ${idOf('r')}, $3::uuid, 1, ${idOf('d')}, $2::uuid,
    json_build_object('email', email, 'name', 'Visitor'), CASE WHEN is_failed THEN 'failed' ELSE 'succeeded' END, 1, at,
    'worker-1', CASE WHEN is_failed THEN '{"step":"log","code":"validation_error","message":"1 field is invalid."}'::json END,
    at, at, at
  ${numbered}`;

/** LATERAL inserts the two rows of a run next to each other. */
const insertSteps = `
  INSERT INTO workflow_run_steps (org_id, run_id, path, position, use, status, attempts, input, output, started_at,
    finished_at)
  SELECT $1::uuid, ${idOf('r')}, path, position, use, status, 1,
    json_build_object('match', json_build_object('email', email)),
    json_build_object('id', ${idOf('d')}, 'email', email, 'first_name', 'Visitor', 'last_name', '(inbound)'), at, at
  ${numbered} CROSS JOIN LATERAL (VALUES
    ('contact', 0, 'contact.upsert', 'succeeded'),
    ('log', 1, 'activity.create', CASE WHEN is_failed THEN 'failed' ELSE 'succeeded' END)
  ) s (path, position, use, status)
  WHERE ${untouched(2, 3)}`;
