import { type Database, statement } from '@relata/db';

/** Rows per statement, few enough that it ends within the statement timeout. */
const chunkRows = 25_000;

const insertAccountRows = statement<never>(
  'neighbours.insert_accounts',
  `INSERT INTO accounts (org_id, id, created_at, updated_at, account_name, domain)
   SELECT $1::uuid, uuidv7(interval '-1 day'), now() - interval '1 day', now() - interval '1 day',
     'Example Robotics ' || i, $4::text
   FROM generate_series($2::int, $3::int) i`,
);

export interface AccountRows {
  from: number;
  to: number;
  domain: string;
}

/** Adds accounts of one domain; their ids ascend. */
export async function insertAccounts(database: Database, orgId: string, { from, to, domain }: AccountRows) {
  for (let start = from; start <= to; start += chunkRows)
    await database.query(insertAccountRows, [orgId, start, Math.min(to, start + chunkRows - 1), domain]);
}

const insertDeliveryRows = statement<never>(
  'neighbours.insert_deliveries',
  `INSERT INTO webhook_deliveries (org_id, id, trigger_id, body, headers)
   SELECT $1::uuid, uuidv7(interval '-1 hour'), $2::uuid, convert_to($4::text || i || '"}', 'UTF8'), '{}'
   FROM generate_series(1, $3::int) i`,
);

export async function insertDeliveries(database: Database, orgId: string, triggerId: string, count: number) {
  const message = 'We assemble gearboxes and would like to see what your team could do with this. '.repeat(12);
  const start = JSON.stringify({ user: { email: 'ada@robotics.example' }, message, n: '' }).slice(0, -2);
  await database.query(insertDeliveryRows, [orgId, triggerId, count, start]);
}

const selectAccountIds = statement<{ id: string }>(
  'neighbours.account_ids',
  'SELECT id FROM accounts WHERE org_id = $1 ORDER BY id LIMIT 1000',
);

export async function listAccountIds(database: Database, orgId: string): Promise<string[]> {
  return (await database.query(selectAccountIds, [orgId])).map(({ id }) => id);
}

const countRuns = statement<{ state: string; n: number }>(
  'neighbours.runs',
  `SELECT CASE status WHEN 'failed' THEN error ->> 'code' ELSE status END AS state, count(*)::int AS n
   FROM workflow_runs WHERE org_id = $1 GROUP BY 1`,
);

/** Counts the runs of an organization by status, and failed runs by the code of their error. */
export async function countRunsOf(database: Database, orgId: string): Promise<Readonly<Record<string, number>>> {
  return Object.fromEntries((await database.query(countRuns, [orgId])).map(({ state, n }) => [state, n]));
}

const settling = ['VACUUM (ANALYZE)', 'CHECKPOINT'].map((text) => statement<never>('', text));

/**
 * Vacuums, analyzes and makes a checkpoint. Otherwise PostgreSQL would do so minutes after the data was inserted, and
 * the commits of the probe would wait for these writes, which are not part of the flood.
 */
export async function settle(database: Database): Promise<void> {
  for (const each of settling) await database.query(each, []);
}
