import type { Client } from 'pg';

/** Domain of the accounts that a round may delete. */
const doomed = 'doomed.example';

/** Adds accounts without links, and returns their ids. */
export async function insertDoomed(admin: Client, orgId: string, count: number): Promise<string[]> {
  const { rows } = await admin.query<{ id: string }>(
    `INSERT INTO accounts (org_id, id, account_name, domain, city, tags)
     SELECT $1, uuidv7(), 'Doomed ' || i, $2, 'Zurich', ARRAY['inbound', 'robotics']
     FROM generate_series(1, $3::int) i RETURNING id`,
    [orgId, doomed, count],
  );
  await admin.query('ANALYZE accounts');
  await admin.query('CHECKPOINT');
  return rows.map(({ id }) => id);
}

/** Empties the trash, and deletes the prepared accounts that a round left over. */
export async function dropDeleted(admin: Client): Promise<void> {
  await admin.query('TRUNCATE trash, trash_links');
  await admin.query('DELETE FROM accounts WHERE domain = $1', [doomed]);
  await admin.query('VACUUM (ANALYZE) accounts');
}

export interface Mergeable {
  winner_id: string;
  loser_ids: string[];
}

interface MergeCounts {
  merges: number;
  losers: number;
  /** Number of links to the losers of each merge: half from opportunities, half from activities. */
  links: number;
}

/** Adds contacts and the records that link to them. Returns the bodies of their merges. */
export async function insertMergeable(
  admin: Client,
  orgId: string,
  { merges, losers, links }: MergeCounts,
): Promise<Mergeable[]> {
  await admin.query(
    `CREATE TEMP TABLE mergeable AS SELECT m, p, uuidv7() AS id FROM generate_series(1, $1::int) m, generate_series(0, $2::int) p`,
    [merges, losers],
  );
  await admin.query(
    `INSERT INTO contacts (org_id, id, first_name, last_name, email)
     SELECT $1, id, 'Person', 'Number ' || p, CASE WHEN p > 0 THEN m || '-' || p || '@robotics.example' END FROM mergeable`,
    [orgId],
  );
  const each = links / losers / 2;
  await admin.query(
    `INSERT INTO opportunities (org_id, id, opportunity_name, account_id, contact_ids)
     SELECT $1, uuidv7(), 'Deal ' || i, (SELECT id FROM accounts WHERE org_id = $1 LIMIT 1), ARRAY[l.id]
     FROM mergeable l, generate_series(1, $2::int) i WHERE l.p > 0`,
    [orgId, each],
  );
  await admin.query(
    `WITH linked AS MATERIALIZED (
       SELECT uuidv7() AS activity_id, l.id FROM mergeable l, generate_series(1, $2::int) i WHERE l.p > 0
     ), activities AS (
       INSERT INTO custom_activities (org_id, id, content, source, tags, date_time)
       SELECT $1, activity_id, 'Called', 'api', '{}', now() FROM linked
     )
     INSERT INTO custom_activity_contacts (org_id, activity_id, contact_id, position)
     SELECT $1, activity_id, id, 1 FROM linked`,
    [orgId, each],
  );
  await admin.query('VACUUM (ANALYZE)');
  await admin.query('CHECKPOINT');
  const { rows } = await admin.query<Mergeable>(
    `SELECT min(id::text) FILTER (WHERE p = 0) AS winner_id, array_agg(id::text ORDER BY p) FILTER (WHERE p > 0) AS loser_ids
     FROM mergeable GROUP BY m`,
  );
  return rows;
}
