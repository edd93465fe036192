import pg from 'pg';
import type { Site } from './site.ts';

/** Rows of one statement: small enough to see progress. */
const chunkRows = 250_000;
const others = 10;
/** Between the first and the last of them; younger than what is dropped for its age. */
const oldestDays = 20;
const youngestDays = 1;
const dayMs = 86_400_000;

/**
 * Loads deliveries of the past, each with a run that has ended and the two rows of its journal. Half are the bench's
 * own organization's, half those of ten others. All keys ascend, so the indexes are built as they would have been.
 */
export async function loadOldDeliveries(site: Site, count: number, onProgress: (line: string) => void): Promise<void> {
  const otherIds: string[] = [];
  for (let i = 1; i <= others; i++) otherIds.push(await site.createOrganization(`Other ${i}`));
  const chunks = Array.from({ length: Math.ceil(count / chunkRows) }, (_, i) => ({
    from: i * chunkRows,
    to: Math.min(count, (i + 1) * chunkRows) - 1,
    orgId: i % 2 === 0 ? site.orgId : otherIds[((i - 1) / 2) % others]!,
  }));
  const span = { since: Date.now() - oldestDays * dayMs, stepMs: ((oldestDays - youngestDays) * dayMs) / count };
  const load = async (title: string, statement: string) => {
    const client = new pg.Client({ connectionString: site.url });
    await client.connect();
    // Foreign keys and triggers are disabled, because the rows that they refer to are loaded at the same time.
    await client.query('SET session_replication_role = replica');
    for (const { from, to, orgId } of chunks) {
      await client.query(statement, [
        orgId,
        site.targets[1].triggerId,
        site.workflowId,
        from,
        to,
        span.since,
        span.stepMs,
      ]);
      if ((to + 1) % (chunkRows * 8) === 0) onProgress(`${(to + 1).toLocaleString('en-US')} ${title}`);
    }
    await client.end();
  };
  await Promise.all([
    load('old deliveries', insertDeliveries).then(() => load('old runs', insertRuns)),
    load('old journals', insertSteps),
  ]);
  onProgress('vacuuming what was loaded');
  await site.admin.query('VACUUM (ANALYZE) webhook_deliveries, workflow_runs, workflow_run_steps');
  await site.admin.query('CHECKPOINT');
}

/** The id that number `i` has as a delivery or as a run: a UUID of version 7 with the time of the row. */
const idOf = (kind: 'd' | 'r') =>
  `(lpad(to_hex(ms), 12, '0') || '7' || lpad(to_hex(i % 4096), 3, '0') || '8' || left(md5('${kind}' || i), 15))::uuid`;

const numbered = `FROM (
    SELECT i, ($6::float8 + i * $7::float8)::bigint AS ms FROM generate_series($4::bigint, $5::bigint) i
  ) g CROSS JOIN LATERAL (
    SELECT to_timestamp(ms / 1000.0) AS at, i % 100 = 0 AS is_failed, 'old-' || i || '@robotics.example' AS email
  ) t`;

/** Every statement takes the same parameters; PostgreSQL must know the types of those that one does not use. */
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

/** LATERAL keeps both rows of a run together. */
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
