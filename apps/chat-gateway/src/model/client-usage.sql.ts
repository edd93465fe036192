import { type Db, statement } from '@relata/db';

/** Tokens that a client has used. */
export interface UsedTokens {
  orgId: string;
  /** In UTC: `2026-01-31`. */
  day: string;
  /** A keyed hash, in hexadecimal. */
  client: string;
  tokens: number;
}

/** Replicas that write the same rows at the same time do so in the same order. */
const add = statement<{ org_id: string; client: string; tokens: number }>(
  'chat_client_usage.add',
  `INSERT INTO chat_client_usage AS used (org_id, day, client, tokens)
   SELECT g.org_id, g.day, decode(g.client, 'hex'), sum(g.tokens)
   FROM unnest($1::uuid[], $2::date[], $3::text[], $4::bigint[]) AS g (org_id, day, client, tokens)
   GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
   ON CONFLICT (org_id, day, client) DO UPDATE SET tokens = used.tokens + excluded.tokens
   RETURNING org_id, encode(client, 'hex') AS client, tokens`,
);

/** Adds what clients of any organization have used; returns what each has used of its day in all, in the same order. */
export async function addClientUsage(db: Db, used: readonly UsedTokens[]): Promise<number[]> {
  const columns = [
    used.map(({ orgId }) => orgId),
    used.map(({ day }) => day),
    used.map(({ client }) => client),
    used.map(({ tokens }) => tokens),
  ];
  const rows = await db.query(add, columns);
  const totals = new Map(rows.map(({ org_id, client, tokens }) => [`${org_id} ${client}`, tokens]));
  return used.map(({ orgId, client }) => totals.get(`${orgId} ${client}`)!);
}

const drop = statement<{ dropped: number }>(
  'chat_client_usage.drop',
  `WITH old AS MATERIALIZED (
     SELECT org_id, day, client FROM chat_client_usage WHERE day < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
   ), gone AS (
     DELETE FROM chat_client_usage u USING old
     WHERE u.org_id = old.org_id AND u.day = old.day AND u.client = old.client
   ) SELECT count(*)::integer AS dropped FROM old`,
);

/** Drops at most so many rows of earlier days, of any organization; returns how many there were. */
export async function dropClientUsage(db: Db, before: string, limit: number): Promise<number> {
  const [row] = await db.query(drop, [before, limit]);
  return row!.dropped;
}
