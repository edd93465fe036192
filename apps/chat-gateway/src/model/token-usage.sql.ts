import { type Db, readWith, statement } from '@relata/db';

/** An organization, or one of its clients, on one day. */
export interface Owner {
  orgId: string;
  /** The day in UTC, such as `2026-01-31`. */
  day: string;
  /** Keyed hash of the client, in hexadecimal; null for the organization itself. */
  client: string | null;
}

/** Adds tokens to the totals. The rows are always written in the same order, so that replicas never deadlock. */
const add = statement<{ org_id: string; day: string; client: string | null; tokens: number }>(
  'chat_usage.add',
  `WITH asked AS (
     SELECT a.org_id, a.day, decode(a.client, 'hex') AS client, sum(a.tokens)::bigint AS tokens
     FROM unnest($1::uuid[], $2::date[], $3::text[], $4::bigint[]) AS a (org_id, day, client, tokens)
     GROUP BY 1, 2, 3
   ), organization AS (
     INSERT INTO chat_usage AS used (org_id, day, tokens)
     SELECT org_id, day, tokens FROM asked WHERE client IS NULL ORDER BY 1, 2
     ON CONFLICT (org_id, day) DO UPDATE SET tokens = used.tokens + excluded.tokens
     RETURNING org_id, day, tokens
   ), client AS (
     INSERT INTO chat_client_usage AS used (org_id, day, client, tokens)
     SELECT org_id, day, client, tokens FROM asked WHERE client IS NOT NULL ORDER BY 1, 2, 3
     ON CONFLICT (org_id, day, client) DO UPDATE SET tokens = used.tokens + excluded.tokens
     RETURNING org_id, day, client, tokens
   )
   SELECT org_id, day::text, NULL AS client, tokens FROM organization
   UNION ALL SELECT org_id, day::text, encode(client, 'hex'), tokens FROM client`,
);

/** Adds tokens to the totals of their owners, or subtracts them; returns the new totals in the same order. */
export async function addTokens(db: Db, changes: readonly { owner: Owner; tokens: number }[]): Promise<number[]> {
  const columns = [
    changes.map(({ owner }) => owner.orgId),
    changes.map(({ owner }) => owner.day),
    changes.map(({ owner }) => owner.client),
    changes.map(({ tokens }) => tokens),
  ];
  const rows = await db.query(add, columns);
  const totals = new Map(rows.map((row) => [`${row.org_id} ${row.day} ${row.client}`, row.tokens]));
  return changes.map(({ owner: { orgId, day, client } }) => totals.get(`${orgId} ${day} ${client}`)!);
}

/**
 * Deletes at most `limit` rows of clients from days earlier than `before`, in all organizations. Returns their number.
 */
export const dropClientUsage = readWith<{ dropped: number }, [before: string, limit: number]>(
  'chat_client_usage.drop',
  `WITH old AS MATERIALIZED (
     SELECT org_id, day, client FROM chat_client_usage WHERE day < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
   ), gone AS (
     DELETE FROM chat_client_usage u USING old
     WHERE u.org_id = old.org_id AND u.day = old.day AND u.client = old.client
   ) SELECT count(*)::integer AS dropped FROM old`,
);
