import { type Db, listWith, statement } from '@relata/db';
import { cleanJson } from '@relata/expressions';
import { startsOf } from './delivery-store.sql.ts';

/**
 * Maximum number of stored refused posts per trigger and group. The groups are posts that can be replayed, other posts
 * with the secret, and posts without it.
 */
export const refusalsKeptMax = 100;

export interface NewRefusal {
  orgId: string;
  id: string;
  triggerId: string;
  refusedAt: Date;
  /** True if the sender was authenticated. Only then are the headers stored, and the body or its beginning. */
  isAuthorized: boolean;
  status: number;
  reason: string;
  /** Message of the response, or a more precise message for the operator. */
  message: string;
  /** Names of the invalid fields, if any. */
  field: string | undefined;
  /** Size of the body, as received or as declared by the sender. */
  bytes: number | undefined;
  address: string;
  headers?: Record<string, string> | undefined;
  /** The whole body if it may be replayed, otherwise its beginning. */
  body: Buffer | undefined;
}

export interface NewRefusalCount {
  orgId: string;
  triggerId: string;
  reason: string;
  refused: number;
}

/**
 * Condition that the trigger still exists. Without it, one deleted trigger would make the statement fail, and the
 * refusals of the other triggers would be lost.
 */
const exists =
  'EXISTS (SELECT FROM webhook_triggers t WHERE t.org_id = g.org_id AND t.id = g.trigger_id FOR KEY SHARE)';

/**
 * Deletes the oldest refused posts of each trigger before it adds new ones. If two processes do so at the same time, a
 * few more than the maximum may remain until the next refusal. Counts are locked in a fixed order.
 */
const store = statement<never>(
  'webhook_refusals.store',
  `WITH given AS MATERIALIZED (
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[], $5::boolean[], $6::smallint[],
       $7::text[], $8::text[], $9::text[], $10::integer[], $11::text[], $12::integer[], $13::integer[], $19::text[]) AS g (
       org_id, id, trigger_id, refused_at, is_authorized, status, reason, message, field, bytes, address, body_start,
       body_length, headers)
     WHERE ${exists}
   ), counted AS (
     INSERT INTO webhook_refusal_counts AS c (org_id, trigger_id, day, reason, refused, last_refused_at)
     SELECT org_id, trigger_id, (now() AT TIME ZONE 'UTC')::date, reason, refused, now()
     FROM unnest($15::uuid[], $16::uuid[], $17::text[], $18::bigint[]) AS g (org_id, trigger_id, reason, refused)
     WHERE ${exists}
     ORDER BY org_id, trigger_id, reason
     ON CONFLICT (org_id, trigger_id, day, reason)
       DO UPDATE SET refused = c.refused + excluded.refused, last_refused_at = excluded.last_refused_at
   ), old AS MATERIALIZED (
     SELECT o.* FROM (
       SELECT org_id, trigger_id, is_authorized, is_authorized AND status = 400 AS is_replayable, count(*) AS added
       FROM given GROUP BY org_id, trigger_id, is_authorized, is_replayable
     ) g CROSS JOIN LATERAL (
       SELECT r.org_id, r.id FROM webhook_refusals r
       WHERE r.org_id = g.org_id AND r.trigger_id = g.trigger_id AND r.is_authorized = g.is_authorized
         AND (r.is_authorized AND r.status = 400) = g.is_replayable
       ORDER BY r.id DESC OFFSET greatest(${refusalsKeptMax} - g.added, 0)
     ) o
   ), locked AS MATERIALIZED (
     SELECT r.org_id, r.id FROM webhook_refusals r JOIN old ON r.org_id = old.org_id AND r.id = old.id
     ORDER BY r.org_id, r.id FOR UPDATE OF r SKIP LOCKED
   ), dropped AS (
     DELETE FROM webhook_refusals r USING locked WHERE r.org_id = locked.org_id AND r.id = locked.id
   )
   INSERT INTO webhook_refusals (
     org_id, id, trigger_id, refused_at, is_authorized, status, reason, message, field, bytes, address, body, headers)
   SELECT org_id, id, trigger_id, refused_at, is_authorized, status, reason, message, field, bytes, address,
     substring($14::bytea FROM body_start FOR body_length), headers::json
   FROM given ON CONFLICT (org_id, id) DO NOTHING`,
);

/** Stores refused posts, and counts of refusals, of any organizations in one statement. */
export async function storeRefusals(
  db: Db,
  refusals: readonly NewRefusal[],
  counts: readonly NewRefusalCount[],
): Promise<void> {
  const headers = refusals.map((each) => (each.headers ? JSON.stringify(each.headers) : null));
  await db.query(store, [...refusalColumns(refusals), ...countColumns(counts), headers]);
}

function refusalColumns(refusals: readonly NewRefusal[]): unknown[] {
  const bodies = refusals.map(({ body }) => body ?? Buffer.alloc(0));
  return [
    refusals.map(({ orgId }) => orgId),
    refusals.map(({ id }) => id),
    refusals.map(({ triggerId }) => triggerId),
    refusals.map(({ refusedAt }) => refusedAt.toISOString()),
    refusals.map(({ isAuthorized }) => isAuthorized),
    refusals.map(({ status }) => status),
    refusals.map(({ reason }) => reason),
    refusals.map(({ message }) => cleanJson(message)),
    refusals.map(({ field }) => cleanJson(field ?? null)),
    refusals.map(({ bytes }) => bytes ?? null),
    refusals.map(({ address }) => address),
    startsOf(bodies.map(({ length }) => length)),
    // If the length is NULL, no body is stored.
    refusals.map(({ body }) => body?.length ?? null),
    Buffer.concat(bodies),
  ];
}

function countColumns(counts: readonly NewRefusalCount[]): unknown[] {
  return [
    counts.map(({ orgId }) => orgId),
    counts.map(({ triggerId }) => triggerId),
    counts.map(({ reason }) => reason),
    counts.map(({ refused }) => refused),
  ];
}

/** Number of days for which refusals are stored, including today. */
export const refusalDays = 7;

/**
 * Counts the refusals of a trigger in the last 7 days by reason, the most frequent first. Each count has the newest
 * message that is still stored.
 */
export const countRefusals = listWith<RefusalCount, [orgId: string, triggerId: string]>(
  'webhook_refusal_counts.of_trigger',
  `SELECT reason, refused, last_refused_at,
     (SELECT r.message FROM webhook_refusals r
      WHERE r.org_id = $1 AND r.trigger_id = $2 AND r.reason = c.reason ORDER BY r.id DESC LIMIT 1) AS last_message
   FROM (
     SELECT reason, sum(refused)::bigint AS refused, max(last_refused_at) AS last_refused_at
     FROM webhook_refusal_counts
     WHERE org_id = $1 AND trigger_id = $2 AND day > (now() AT TIME ZONE 'UTC')::date - ${refusalDays}
     GROUP BY reason
   ) c ORDER BY refused DESC, reason`,
);

export interface RefusalCount {
  reason: string;
  refused: number;
  last_refused_at: string;
  /** Null if no refusal with this reason is stored any more. */
  last_message: string | null;
}
