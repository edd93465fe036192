import type { ChannelKind } from '@relata/channel';
import { type Db, listWith, readWith, statement } from '@relata/db';
import type { SealedValue } from '@relata/secrets';
import type { Notice } from '../kinds/notice-kind.ts';

/** The right to send an organization's notices until the lease expires. */
export interface Claim extends SealedValue {
  org_id: string;
  organization: string;
  epoch: number;
  kind: ChannelKind;
  failures: number;
  /** Time as PostgreSQL prints it. */
  claimed_at: string;
  /** Messages sent in the current hour; `hour_left_ms` is the time until the next hour begins. */
  hour_sent: number;
  hour_left_ms: number;
}

/**
 * Claims channels with due notices, so that no other worker sends the same notices. Channels whose last message failed
 * are claimed separately, so that they do not use up the limit of the others.
 */
export const claimChannels = listWith<Claim, [limit: number, leaseMs: number, isFailing: boolean]>(
  'notify_channels.claim',
  `WITH due AS MATERIALIZED (
     SELECT c.org_id FROM notify_channels c
     WHERE c.next_at <= now() AND (c.claimed_until IS NULL OR c.claimed_until <= now()) AND (c.failures > 0) = $3
       AND EXISTS (SELECT FROM notices n WHERE n.org_id = c.org_id AND n.due_at <= now())
     ORDER BY c.next_at, c.org_id LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
   )
   UPDATE notify_channels c SET epoch = c.epoch + 1, claimed_until = now() + make_interval(secs => $2::float8 / 1000),
     hour_sent = CASE WHEN c.hour_at <= now() - interval '1 hour' THEN 0 ELSE c.hour_sent END,
     hour_at = CASE WHEN c.hour_at <= now() - interval '1 hour' THEN now() ELSE c.hour_at END
   FROM due WHERE c.org_id = due.org_id
   RETURNING c.org_id, (SELECT name FROM organizations o WHERE o.id = c.org_id) AS organization, c.epoch, c.kind, c.key_id,
     c.ciphertext, c.failures, c.hour_sent, now()::timestamptz(3)::text AS claimed_at,
     (extract(epoch FROM c.hour_at + interval '1 hour' - now()) * 1000)::float8 AS hour_left_ms`,
);

/** Counts due notices, up to a maximum. A due test message is always among the counted notices. */
export const countDue = readWith<{ due: number; has_test: boolean }, [orgId: string, max: number]>(
  'notices.count_due',
  `SELECT count(*)::integer AS due, coalesce(bool_or(kind = 'test'), false) AS has_test FROM (
     SELECT kind FROM notices WHERE org_id = $1 AND due_at <= now() ORDER BY kind = 'test' DESC LIMIT $2
   ) n`,
);

/**
 * SQL that locks notices of an organization, named by the kinds and causes of `source`. The order is the same as in the
 * collectors; otherwise two workers could deadlock.
 */
const lockedNotices = (source: string, condition = '') => `SELECT n.org_id, n.kind, n.cause
     FROM notices n JOIN ${source} AS g ON n.kind = g.kind AND n.cause = g.cause
     WHERE n.org_id = $1 ${condition} ORDER BY n.kind, n.cause FOR UPDATE OF n`;

/**
 * SQL that locks the channel of an organization before its notices. Removing a channel deletes its notices in any
 * order, so the removal must wait before it locks a notice.
 */
const lockedChannel = (condition = '') =>
  `SELECT org_id, epoch FROM notify_channels WHERE org_id = $1 ${condition} FOR KEY SHARE`;

const take = statement<Omit<Notice, 'cause'> & { cause: string }>(
  'notices.take',
  `WITH mine AS MATERIALIZED (
     ${lockedChannel('AND epoch = $2 AND claimed_until > now()')}
   ), chosen AS MATERIALIZED (
     SELECT n.kind, n.cause FROM notices n JOIN mine ON mine.org_id = n.org_id
     WHERE n.org_id = $1 AND n.due_at <= now() ORDER BY n.kind = 'test' DESC, n.due_at, n.kind, n.cause LIMIT $3
   ), due AS MATERIALIZED (${lockedNotices('chosen', 'AND n.due_at <= now()')})
   UPDATE notices n SET sending = add_counts(n.sending, n.waiting), waiting = '{}',
     due_at = now() + make_interval(secs => $4::float8 / 1000)
   FROM due WHERE n.org_id = due.org_id AND n.kind = due.kind AND n.cause = due.cause
   RETURNING n.kind, n.cause, n.sending AS counts, n.example, n.since, n.last_at`,
);

/** A notice that is about to be sent. */
export interface TakenNotice extends Notice {
  /** The cause as stored. */
  key: string;
}

/**
 * Takes due notices. Each is due again only after the quiet time, even if this process dies, since its message may have
 * been sent. Returns an empty list if the claim has expired or another worker has claimed the channel.
 */
export async function takeNotices(
  db: Db,
  { org_id: orgId, epoch }: Claim,
  limit: number,
  quietMs: number,
): Promise<TakenNotice[]> {
  const rows = await db.query(take, [orgId, epoch, limit, quietMs]);
  return rows.map(({ cause, ...row }) => ({ ...row, key: cause, cause: JSON.parse(cause) as string[] }));
}

/**
 * Declares a function that records a result; $5 is its last argument. The result of a test message is recorded only if
 * the channel was neither replaced nor claimed again since.
 */
function recordWith<Given>(name: string, changes: string) {
  const record = listWith<never, [orgId: string, epoch: number, kinds: string[], keys: string[], given: Given]>(
    name,
    `WITH mine AS MATERIALIZED (${lockedChannel()}), given AS MATERIALIZED (
     SELECT g.* FROM mine, unnest($3::text[], $4::text[]) AS g (kind, cause) WHERE g.kind <> 'test' OR mine.epoch = $2
   ), locked AS MATERIALIZED (${lockedNotices('given')})
   UPDATE notices n SET ${changes}
   FROM locked l WHERE n.org_id = l.org_id AND n.kind = l.kind AND n.cause = l.cause`,
  );
  return async (db: Db, { org_id: orgId, epoch }: Claim, notices: readonly TakenNotice[], given: Given) => {
    const [kinds, keys] = [notices.map(({ kind }) => kind), notices.map(({ key }) => key)];
    await record(db, orgId, epoch, kinds, keys, given);
  };
}

/** Records that a message arrived; $5 is the quiet time in ms. */
export const recordSent = recordWith<number>(
  'notices.sent',
  `sending = '{}', sent_at = now(), since = now(),
     waiting = CASE WHEN n.kind = 'test' THEN '{}' ELSE n.waiting END,
     due_at = CASE WHEN n.kind = 'test' OR n.waiting = '{}' THEN NULL ELSE now() + make_interval(secs => $5::float8 / 1000) END`,
);

/**
 * Records that a message failed; $5 is true if it may have arrived. Its notices are then due after the quiet time,
 * otherwise now, so that they are sent with the next claim of the channel. A failed test message is not repeated.
 */
export const recordUnsent = recordWith<boolean>(
  'notices.returned',
  `due_at = CASE WHEN n.kind = 'test' THEN NULL WHEN $5 THEN n.due_at ELSE now() END`,
);

const release = statement<never>(
  'notify_channels.release',
  `UPDATE notify_channels SET claimed_until = NULL, failures = $3,
     last_error = CASE WHEN $8 THEN $4::json ELSE last_error END,
     -- "next_at" is later than the claim only if somebody has requested a test message since then. A query of the
     -- notices could miss a request that is not committed yet.
     next_at = CASE WHEN next_at >= $7::timestamptz THEN now() ELSE now() + make_interval(secs => $5::float8 / 1000) END,
     hour_sent = hour_sent + $6,
     last_sent_at = CASE WHEN $6 > 0 THEN now() ELSE last_sent_at END
   WHERE org_id = $1 AND epoch = $2`,
);

export interface Outcome {
  /** Number of sent messages. */
  sent: number;
  /** Reason why the last message was not sent; undefined if none failed. */
  error: { code: string; message: string } | undefined;
  /** Time until the channel can be claimed again, in ms. A request for a test message ends the pause early. */
  pauseMs: number;
}

/** Ends a claim. */
export async function releaseChannel(
  db: Db,
  { org_id: orgId, epoch, failures, claimed_at: claimedAt }: Claim,
  outcome: Outcome,
): Promise<void> {
  const { sent: messages, error, pauseMs } = outcome;
  // A channel that has reached its hourly limit was not tried, and keeps its state.
  const isTried = error !== undefined || messages > 0;
  const inRow = error ? (messages > 0 ? 1 : failures + 1) : isTried ? 0 : failures;
  const lastError = error ? JSON.stringify(error) : null;
  await db.query(release, [orgId, epoch, inRow, lastError, pauseMs, messages, claimedAt, isTried]);
}

/** Gives up notices that could not be sent for a day. */
export const giveUpOld = readWith<{ given_up: number }, [orgId: string]>(
  'notices.give_up',
  `WITH mine AS MATERIALIZED (${lockedChannel()}), old AS MATERIALIZED (
     SELECT n.kind, n.cause FROM mine JOIN notices n ON n.org_id = mine.org_id
     WHERE n.due_at <= now() AND n.since < now() - interval '1 day' AND n.sending <> '{}'
   ), locked AS MATERIALIZED (
     ${lockedNotices('old', `AND n.due_at <= now() AND n.sending <> '{}'`)}
   ), given_up AS (
     UPDATE notices n SET waiting = '{}', sending = '{}', due_at = NULL FROM locked l
     WHERE n.org_id = l.org_id AND n.kind = l.kind AND n.cause = l.cause RETURNING n.kind
   ) SELECT count(*)::integer AS given_up FROM given_up`,
);
