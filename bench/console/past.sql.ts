import pg from 'pg';
import type { ConsoleSite } from './console-site.ts';

/** Rows of one statement: small enough to see progress. */
const chunkRows = 100_000;
const loaders = 2;
const days = 20;
const dayMs = 86_400_000;

/**
 * Loads deliveries of the last 20 days: of ten, eight are the bench's own organization's, mixed with those of the others. Of its
 * deliveries every sixteenth started a run, of which one in a hundred failed and one in a thousand waits. Ids ascend as they would have.
 */
export async function loadPast(site: ConsoleSite, count: number, onProgress: (line: string) => void): Promise<void> {
  const chunks = Array.from({ length: Math.ceil(count / chunkRows) }, (_, at) => at * chunkRows);
  const stepMs = (days * dayMs) / count;
  const since = Date.now() - days * dayMs;
  const triggerIds = [...site.triggerIds.slice(0, 5), ...site.otherTriggerIds];
  let loaded = 0;
  const load = async () => {
    const client = new pg.Client({ connectionString: site.url });
    await client.connect();
    // The references are right, and checking them takes as long as the rest.
    await client.query('SET session_replication_role = replica');
    await client.query('SET synchronous_commit = off');
    for (let from = chunks.shift(); from !== undefined; from = chunks.shift()) {
      const to = Math.min(count, from + chunkRows) - 1;
      const values = [site.orgIds, triggerIds, from, to, since, stepMs];
      await client.query(insertDeliveries, values);
      await client.query(insertRuns, [...values, site.workflowId]);
      loaded += to - from + 1;
      if (loaded % 2_000_000 === 0) onProgress(`${loaded.toLocaleString('en-US')} deliveries`);
    }
    await client.end();
  };
  await Promise.all(Array.from({ length: loaders }, load));
  await site.admin.query(insertRefusals, [site.orgIds[0], site.triggerIds]);
  onProgress('vacuuming what was loaded');
  await site.admin.query('VACUUM (ANALYZE) webhook_deliveries, workflow_runs, webhook_refusals');
  await site.admin.query('CHECKPOINT');
}

/** The id that number `i` has as a delivery or as a run: a UUID of version 7 with the time of the row. */
const idOf = (kind: 'd' | 'r') =>
  `(lpad(to_hex(ms), 12, '0') || '7' || lpad(to_hex(i % 4096), 3, '0') || '8' || left(md5('${kind}' || i), 15))::uuid`;

/** The first organization is the bench's own, with a trigger that little comes to, and four others. */
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

/** As many as are kept: the newest are those of the last trigger. */
const insertRefusals = `
  INSERT INTO webhook_refusals (org_id, id, trigger_id, refused_at, is_authorized, status, reason, message, bytes, address)
  SELECT $1::uuid, uuidv7(interval '-1 hour'), trigger_id, now() - interval '1 hour', i % 2 = 0,
    CASE WHEN i % 2 = 0 THEN 400 ELSE 401 END, CASE WHEN i % 2 = 0 THEN 'invalid_input' ELSE 'unauthorized' END,
    'It was refused.', 12, '203.0.113.7'
  FROM unnest($2::uuid[]) trigger_id, generate_series(1, 200) i`;

/** Ids of the organization's deliveries from anywhere, so many. */
export async function deepIds({ admin, orgIds }: ConsoleSite, count: number): Promise<string[]> {
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
