import { type Database, type Db, statement } from '@relata/db';

const cutoff = (ms: string) => `now() - make_interval(secs => ${ms}::float8 / 1000)`;

/** Those whose oldest event is to be dropped: one look into `events_feed` for each. */
const listOrganizations = statement<{ id: string }>(
  'events.organizations_with_old',
  `SELECT o.id FROM organizations o
   WHERE (SELECT e.created_at FROM events e WHERE e.org_id = o.id ORDER BY e.seq LIMIT 1) < ${cutoff('$1')}`,
);

/**
 * Drops from the oldest on, up to the first that is young enough. The last event stays however old it is: a reader of the
 * feed whose place it is must find it again. Rows that another worker is dropping are passed over.
 *
 * The arrays make PostgreSQL look each number up in `events_feed`; a join may be planned as a scan of the table.
 */
const dropOldest = statement<{ old: number; dropped: number; last: string | null }>(
  'events.drop_oldest',
  `WITH oldest AS MATERIALIZED (
     SELECT e.seq, e.created_at FROM events e WHERE e.org_id = $1 AND e.seq > $2 ORDER BY e.seq LIMIT 1000
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

/** Rows of one statement: it ends in milliseconds. Must be the limit in `dropOldest`. */
const batchRows = 1_000;

/** Statements for one organization in one sweep: a million events. What is left is dropped by the next sweep. */
const batchesMax = 1_000;

export interface DropEventsOptions {
  /** By the database's clock. */
  olderThanMs: number;
  signal?: AbortSignal;
}

/**
 * Drops events that are older, oldest first, and returns their number. Organizations take turns, a statement each, so
 * that none waits for another that has many. Two processes that do it at the same time never wait for each other.
 */
export async function dropOldEvents(database: Database, { olderThanMs, signal }: DropEventsOptions): Promise<number> {
  let dropped = 0;
  const organizations = await database.query(listOrganizations, [olderThanMs]);
  let left = organizations.map(({ id }) => ({ id, last: '0' }));
  for (let batch = 0; batch < batchesMax && left.length > 0; batch++) {
    const more: typeof left = [];
    for (const { id, last } of left) {
      signal?.throwIfAborted();
      const [row] = await database.query(dropOldest, [id, last, olderThanMs]);
      dropped += row!.dropped;
      if (row!.old === batchRows) more.push({ id, last: row!.last! });
    }
    left = more;
  }
  return dropped;
}

/** The last of an organization is kept, and so is never late. */
const overdue = statement<{ seconds: number }>(
  'events.overdue',
  `SELECT coalesce(extract(epoch FROM ${cutoff('$1')} - min(first.created_at)), 0)::float8 AS seconds
   FROM organizations o CROSS JOIN LATERAL (
     SELECT e.seq, e.created_at FROM events e WHERE e.org_id = o.id ORDER BY e.seq LIMIT 1
   ) first
   WHERE first.created_at < ${cutoff('$1')}
     AND EXISTS (SELECT FROM events later WHERE later.org_id = o.id AND later.seq > first.seq)`,
);

/** Seconds for which the oldest event should have been dropped; 0 where none should. */
export async function findOverdueEvents(db: Db, olderThanMs: number): Promise<number> {
  const [row] = await db.query(overdue, [olderThanMs]);
  return row!.seconds;
}
