import { say } from '@relata/testbed/suite-program';
import { idOf, loadPast, vacuum } from '../past.sql.ts';
import type { ConsoleDatabase } from './console-database.ts';

/**
 * Inserts generated deliveries, dated over the last 20 days. Eight in ten belong to the bench's own organization, mixed
 * with the deliveries of the other organizations. One in 16 of the bench's own deliveries started a run. One in a
 * hundred of these runs failed, and one in a thousand waits.
 */
export async function loadDeliveries(database: ConsoleDatabase, count: number): Promise<void> {
  const triggerIds = [...database.triggerIds.slice(0, 5), ...database.otherTriggerIds];
  // The counts that the page Today shows are kept by triggers, which `loadPast` disables otherwise.
  await database.admin.query(`
    ALTER TABLE webhook_deliveries ENABLE ALWAYS TRIGGER keep_inserted_counts;
    ALTER TABLE workflow_runs ENABLE ALWAYS TRIGGER keep_inserted_counts, ENABLE ALWAYS TRIGGER keep_failed_inserted`);
  const plan = { count, chunkRows: 100_000, days: [20, 0], loaders: 2 } as const;
  await loadPast({
    ...plan,
    url: database.url,
    title: 'deliveries',
    load: async (client, { from, to, sinceMs, stepMs }) => {
      const values = [database.orgIds, triggerIds, from, to, sinceMs, stepMs];
      await client.query(insertDeliveries, values);
      await client.query(insertRuns, [...values, database.workflowId]);
    },
  });
  await database.admin.query(insertRefusals, [database.orgIds[0], database.triggerIds]);
  say('vacuuming the rows');
  await vacuum(database.admin, 'webhook_deliveries', 'workflow_runs', 'webhook_refusals');
}

/**
 * Numbered rows with their time, organization and trigger. In the bench's own organization, which is the first, the
 * first trigger gets few rows and the next four get the rest.
 */
const numbered = `FROM (
    SELECT i, ($5::float8 + i * $6::float8)::bigint AS ms, i % 10 < 8 AS is_own FROM generate_series($3::bigint, $4::bigint) i
  ) g CROSS JOIN LATERAL (
    SELECT to_timestamp(ms / 1000.0) AS at,
      ($1::uuid[])[CASE WHEN is_own THEN 1 ELSE 2 + (i / 10) % 10 END] AS org_id,
      ($2::uuid[])[CASE WHEN NOT is_own THEN 6 + (i / 10) % 10 WHEN i % 50000 = 0 THEN 1 ELSE 2 + (i / 10) % 4 END] AS trigger_id
  ) t`;

const insertDeliveries = `
  INSERT INTO webhook_deliveries (org_id, id, trigger_id, body, headers, received_at)
  SELECT org_id, ${idOf('d')}, trigger_id,
    convert_to('{"event":"form.submitted","user":{"email":"old-' || i || '@robotics.example","name":"Visitor"},"score":' ||
      i % 100 || ',"message":"' || repeat('x', 160) || '"}', 'UTF8'),
    '{"content-type":"application/json"}', at
  ${numbered}`;

const insertRuns = `
  INSERT INTO workflow_runs (org_id, id, workflow_id, version, delivery_id, trigger_id, inputs, status, epoch, due_at,
    worker, error, created_at, started_at, finished_at)
  SELECT org_id, ${idOf('r')}, $7::uuid, 1, ${idOf('d')}, trigger_id, '{"email":"visitor@robotics.example"}', status, 1, at,
    'worker-1', CASE status WHEN 'failed' THEN '{"step":"log","code":"validation_error","message":"1 field is invalid."}'::json END,
    at, at, CASE WHEN status <> 'waiting' THEN at END
  ${numbered} CROSS JOIN LATERAL (
    SELECT CASE WHEN i % 2000 = 0 THEN 'failed' WHEN i % 20000 = 20 THEN 'waiting' ELSE 'succeeded' END AS status
  ) s WHERE i % 20 = 0`;

/** Fills the table up to its limit; the newest rows belong to the last trigger. */
const insertRefusals = `
  INSERT INTO webhook_refusals (org_id, id, trigger_id, refused_at, is_authorized, status, reason, message, bytes, address)
  SELECT $1::uuid, uuidv7(interval '-1 hour'), trigger_id, now() - interval '1 hour', i % 2 = 0,
    CASE WHEN i % 2 = 0 THEN 400 ELSE 401 END, CASE WHEN i % 2 = 0 THEN 'invalid_input' ELSE 'unauthorized' END,
    'It was refused.', 12, '203.0.113.7'
  FROM unnest($2::uuid[]) trigger_id, generate_series(1, 200) i`;

/** Returns up to `count` ids of the bench's own deliveries, each about four hours older than the previous one. */
export async function deepIds({ admin, orgIds }: ConsoleDatabase, count: number): Promise<string[]> {
  const { rows } = await admin.query<{ id: string }>(
    `SELECT d.id FROM generate_series(1, $2::int) i CROSS JOIN LATERAL (
       SELECT id FROM webhook_deliveries WHERE org_id = $1
         AND id < (lpad(to_hex((extract(epoch FROM now() - make_interval(hours => 1 + i * 4)) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
       ORDER BY id DESC LIMIT 1
     ) d`,
    [orgIds[0], count],
  );
  return rows.map(({ id }) => id);
}
