import { batchRows, type Database, type Db, onlyRow, statement } from '@relata/db';
import { tryEach } from '@relata/runtime';

const cutoff = (ms: string) => `now() - make_interval(secs => ${ms}::float8 / 1000)`;

/** Finds organizations whose oldest event has expired, with one look-up in the index `events_feed` each. */
const listOrganizations = statement<{ id: string }>(
  'events.organizations_with_old',
  `SELECT o.id FROM organizations o
   WHERE (SELECT e.created_at FROM events e WHERE e.org_id = o.id ORDER BY e.seq LIMIT 1) < ${cutoff('$1')}`,
);

/**
 * Deletes events from the oldest on, up to the first that has not expired. The last event always stays: a reader may
 * have its position there and must find it again. Rows that another worker is deleting are skipped. The arrays make
 * PostgreSQL look each number up in `events_feed`; a join may be planned as a scan of the table.
 */
const dropOldest = statement<{ old: number; dropped: number; last: string | null }>(
  'events.drop_oldest',
  `WITH oldest AS MATERIALIZED (
     SELECT e.seq, e.created_at FROM events e WHERE e.org_id = $1 AND e.seq > $2 ORDER BY e.seq LIMIT ${batchRows}
   ), old AS MATERIALIZED (
     SELECT o.seq FROM oldest o WHERE o.seq < least(
       (SELECT min(young.seq) FROM oldest young WHERE young.created_at >= ${cutoff('$3')}),
       (SELECT max(e.seq) FROM events e WHERE e.org_id = $1))
   ), locked AS MATERIALIZED (
     SELECT e.seq FROM events e WHERE e.org_id = $1 AND e.seq = ANY (ARRAY(SELECT seq FROM old))
     ORDER BY e.seq FOR UPDATE SKIP LOCKED
   ), dropped AS (
     DELETE FROM events e WHERE e.org_id = $1 AND e.seq = ANY (ARRAY(SELECT seq FROM locked)) RETURNING e.seq
   )
   SELECT (SELECT max(seq) FROM old) AS last, (SELECT count(*)::integer FROM old) AS old,
     (SELECT count(*)::integer FROM dropped) AS dropped`,
);

/** Maximum number of statements per organization and sweep: a million events. The next sweep deletes the rest. */
const batchesMax = 1_000;

/**
 * Deletes events that are older than `olderThanMs` by the database's clock, the oldest first, and returns their number.
 * Organizations take turns, one statement each, so that one with many expired events does not delay the others. If it
 * fails for one organization, it continues with the others, and throws the first error at the end. Concurrent processes
 * never wait for each other.
 */
export async function dropOldEvents(database: Database, olderThanMs: number, signal?: AbortSignal): Promise<number> {
  let dropped = 0;
  const organizations = await database.query(listOrganizations, [olderThanMs]);
  const turns = new Set(organizations.map(({ id }) => ({ id, last: '0', batches: 0 })));
  const drop = async (turn: { id: string; last: string; batches: number }) => {
    signal?.throwIfAborted();
    turns.delete(turn);
    const row = await onlyRow(database, dropOldest, [turn.id, turn.last, olderThanMs]);
    dropped += row.dropped;
    turn.last = row.last ?? turn.last;
    if (row.old === batchRows && ++turn.batches < batchesMax) turns.add(turn);
  };
  await tryEach(turns, drop, signal);
  return dropped;
}

/** Finds the oldest overdue event. An organization's last event is kept, so it is never overdue. */
const overdue = statement<{ seconds: number }>(
  'events.overdue',
  `SELECT coalesce(extract(epoch FROM ${cutoff('$1')} - min(first.created_at)), 0)::float8 AS seconds
   FROM organizations o CROSS JOIN LATERAL (
     SELECT e.seq, e.created_at FROM events e WHERE e.org_id = o.id ORDER BY e.seq LIMIT 1
   ) first
   WHERE first.created_at < ${cutoff('$1')}
     AND EXISTS (SELECT FROM events later WHERE later.org_id = o.id AND later.seq > first.seq)`,
);

/** Returns for how many seconds the oldest event has been overdue for deletion; 0 if none is. */
export async function findOverdueEvents(db: Db, olderThanMs: number): Promise<number> {
  return (await onlyRow(db, overdue, [olderThanMs])).seconds;
}
