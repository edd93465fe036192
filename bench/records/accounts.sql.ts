import type { Client } from 'pg';

/** Rows per statement, few enough for the count triggers to keep them in memory. */
const chunkRows = 50_000;

/** Columns of an account. Their values are made from its number `i`. */
const columns = `account_name, domain, linkedin_url, address, city, state, country, relationship_type, sales_status, icp_label, tags`;
const values = `'Example Robotics ' || i, 'robotics-' || i || '.example', 'https://www.linkedin.com/company/robotics-' || i,
  i || ' Station Street', 'Zurich', 'ZH', 'Switzerland', (ARRAY['prospect', 'customer', 'partner'])[1 + i % 3],
  (ARRAY['lead', 'working', 'pipeline'])[1 + i % 3], 'tier ' || i % 3, ARRAY['inbound', 'robotics', 'tag ' || i % 10]`;

/** Creates the floor's table: the same columns, checks, keys and indexes, without the triggers that keep totals. */
export async function createFloorTable(admin: Client): Promise<void> {
  await admin.query(`
    CREATE SCHEMA floor;
    CREATE TABLE floor.accounts (LIKE public.accounts INCLUDING ALL);
    ALTER TABLE floor.accounts ADD FOREIGN KEY (org_id) REFERENCES public.organizations (id);`);
}

/** Adds the accounts with the numbers `from` to `to` to each organization. Their ids ascend, with times a day ago. */
export async function insertAccounts(
  admin: Client,
  orgIds: string[],
  { from, to }: { from: number; to: number },
): Promise<void> {
  for (let start = from; start <= to; start += chunkRows) {
    const end = Math.min(to, start + chunkRows - 1);
    await admin.query(
      `INSERT INTO accounts (org_id, id, created_at, updated_at, ${columns})
       SELECT org_id, uuidv7(interval '-1 day'), now() - interval '1 day', now() - interval '1 day', ${values}
       FROM generate_series($2::int, $3::int) i, unnest($1::uuid[]) org_id`,
      [orgIds, start, end],
    );
  }
}

export async function copyToFloor(admin: Client): Promise<void> {
  await admin.query('INSERT INTO floor.accounts SELECT * FROM public.accounts ORDER BY id');
}

export async function accountIds(admin: Client, orgId: string): Promise<string[]> {
  const { rows } = await admin.query<{ id: string }>('SELECT id FROM accounts WHERE org_id = $1 ORDER BY id', [orgId]);
  return rows.map(({ id }) => id);
}

/** Deletes the rows that a round created (only loaded accounts are older than an hour) and vacuums the tables. */
export async function resetAccounts(admin: Client, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    await admin.query(`DELETE FROM ${table} WHERE created_at > now() - interval '1 hour'`);
    await admin.query(`VACUUM (ANALYZE) ${table}`);
  }
  // Without this, a checkpoint would fall into some rounds and not into others.
  await admin.query('CHECKPOINT');
}

/** Enables or disables the triggers that keep totals. Without them Relata's table is as plain as the floor's. */
export async function keepTotals(admin: Client, isKept: boolean): Promise<void> {
  await admin.query(`ALTER TABLE accounts ${isKept ? 'ENABLE' : 'DISABLE'} TRIGGER USER`);
}

/** Returns true if the stored total of every organization equals its number of accounts. */
export async function countsAgree(admin: Client): Promise<boolean> {
  const { rows } = await admin.query(`
    SELECT FROM (SELECT org_id, count(*) AS n FROM accounts GROUP BY org_id) counted
    FULL JOIN (SELECT org_id, sum(n) AS n FROM record_counts WHERE resource = 'accounts' GROUP BY org_id) kept USING (org_id)
    WHERE coalesce(counted.n, 0) <> coalesce(kept.n, 0)`);
  return rows.length === 0;
}
