import {
  batchBytes,
  batchRows,
  type Database,
  type Db,
  eachOrganization,
  firstIdAt,
  onlyRow,
  statement,
  upToBytes,
} from '@relata/db';
import { lowestId } from '../list-window.ts';

/** Returns the SQL condition that a run `r` ended before a time. */
export const isDroppable = (before: string) =>
  `r.status IN ('succeeded', 'failed', 'cancelled') AND coalesce(r.finished_at, r.created_at) < ${before}`;

/** Maximum number of rows in a statement that deletes runs, so that it ends within a second. A journal may have more. */
const rowsMax = 10_000;

/** SQL for the stored bytes of a step `s`. */
export const stepBytes = ['input', 'output', 'error', 'failures']
  .map((column) => `coalesce(pg_column_size(s.${column}), 0)`)
  .join(' + ');

/**
 * Declares a statement that deletes the first of some ended runs with their journals. `chosen` is SQL that selects and
 * locks runs `r` of organization $1; it must have a limit. In `part`, the steps of a run are followed by the run
 * itself, whose path is null. If the limits cut off the run itself, only its listed steps are deleted, and the next
 * statement continues with it. If such a run had failed, it is cancelled, because a retry would execute the deleted
 * steps again.
 */
export const dropsRuns = (name: string, chosen: string) =>
  statement<{ last: string | null; runs: number; found: number }>(
    name,
    `WITH old AS MATERIALIZED (
     SELECT r.id, pg_column_size(r.inputs) AS bytes ${chosen}
   ), each AS (
     SELECT old.id, row.path, row.bytes FROM old CROSS JOIN LATERAL (
       SELECT s.path, ${stepBytes} AS bytes FROM workflow_run_steps s WHERE s.org_id = $1 AND s.run_id = old.id
       UNION ALL SELECT NULL, old.bytes
     ) row LIMIT ${rowsMax}
   ), part AS MATERIALIZED (
     ${upToBytes('each')}
   ), whole AS MATERIALIZED (
     SELECT id FROM part WHERE path IS NULL
   ), begun AS MATERIALIZED (
     SELECT id, path FROM part WHERE id NOT IN (SELECT id FROM whole)
   ), steps AS (
     DELETE FROM workflow_run_steps WHERE org_id = $1 AND run_id = ANY (ARRAY(SELECT id FROM whole))
   ), some_steps AS (
     DELETE FROM workflow_run_steps
     WHERE org_id = $1 AND run_id = (SELECT id FROM begun LIMIT 1) AND path = ANY (ARRAY(SELECT path FROM begun))
   ), runs AS (
     DELETE FROM workflow_runs WHERE org_id = $1 AND id = ANY (ARRAY(SELECT id FROM whole))
   ), ended AS (
     UPDATE workflow_runs SET status = 'cancelled'
     WHERE org_id = $1 AND id = (SELECT id FROM begun LIMIT 1) AND status = 'failed'
   ) SELECT max(id::text)::uuid AS last, count(*)::integer AS runs, (SELECT count(*)::integer FROM old) AS found FROM whole`,
  );

/**
 * Examines rows that are old by their ids, in the order of the primary key, so that no other rows are read. Drops only
 * rows that are also old by the database's clock, because many processes create ids by their own clocks. Rows of a
 * process whose clock runs ahead are kept longer by that difference. Skips runs that an operator is retrying or
 * replaying.
 */
const dropRuns = dropsRuns(
  'workflow_runs.drop_old',
  `FROM workflow_runs r WHERE r.org_id = $1 AND r.id < $2 AND r.id > $4 AND ${isDroppable('$5')}
   ORDER BY r.id LIMIT $3 FOR UPDATE SKIP LOCKED`,
);

/**
 * SQL condition that a delivery `d` has runs. OFFSET makes the planner look them up for each delivery. Otherwise it may
 * read all runs of the organization.
 */
export const hasRuns =
  'EXISTS (SELECT FROM workflow_runs r WHERE r.org_id = d.org_id AND r.delivery_id = d.id OFFSET 0)';

/** Locks old deliveries without runs; a delivery is kept as long as one of its runs. */
const lockDeliveries = statement<{ id: string; bytes: number }>(
  'webhook_deliveries.lock_old',
  `SELECT d.id, pg_column_size(d.body) AS bytes FROM webhook_deliveries d
   WHERE d.org_id = $1 AND d.id < $2 AND d.id > $4 AND d.received_at < $5 AND NOT ${hasRuns}
   ORDER BY d.id LIMIT $3 FOR UPDATE OF d SKIP LOCKED`,
);

/**
 * Drops those of the locked deliveries that have no runs. Checks for runs once more: a replay may have started some
 * between the snapshot of `lockDeliveries` and its lock, and only a new statement sees them. No index serves `IS NOT
 * DISTINCT FROM`, so PostgreSQL uses the index by delivery. With `=`, it would read the organization's whole part of
 * the primary key.
 */
export const dropDeliveries = statement<{ deliveries: number }>(
  'webhook_deliveries.drop_locked',
  `WITH dropped AS (
     DELETE FROM webhook_deliveries d WHERE d.org_id = $1 AND d.id = ANY ($2::uuid[]) AND NOT ${hasRuns} RETURNING d.id
   ), keys AS (
     DELETE FROM webhook_delivery_keys
     WHERE delivery_id = ANY (ARRAY(SELECT id FROM dropped)) AND org_id IS NOT DISTINCT FROM $1
   ) SELECT count(*)::integer AS deliveries FROM dropped`,
);

/** Finds the time before which rows are old, by the database's clock. */
export const findCutoff = statement<{ before: string }>(
  'retention.cutoff',
  `SELECT greatest(now() - make_interval(secs => $1::float8 / 1000), 'epoch') AS before`,
);

/**
 * Deletes deliveries, runs and journals that are older than `olderThanMs` by the database's clock, in small
 * transactions. An unfinished run stays, with its delivery. If it fails for one organization, it continues with the
 * others, and throws the first error at the end. Safe to run in two processes at once.
 */
export async function dropOld(database: Database, olderThanMs: number, signal?: AbortSignal) {
  const dropped = { runs: 0, deliveries: 0 };
  const { before } = await onlyRow(database, findCutoff, [olderThanMs]);
  const dropOf = async (orgId: string) => {
    const pageAfter = (last: string) => [orgId, firstIdAt(Date.parse(before)), batchRows, last, before];
    for (let [last, found] = [lowestId, 1]; found > 0;) {
      signal?.throwIfAborted();
      const page = await onlyRow(database, dropRuns, pageAfter(last));
      dropped.runs += page.runs;
      [last, found] = [page.last ?? last, page.found];
    }
    for (let last: string | undefined = lowestId; last !== undefined;) {
      signal?.throwIfAborted();
      const page = pageAfter(last);
      const locked = await database.transaction((db) => dropDeliveryPage(db, orgId, page));
      dropped.deliveries += locked.deliveries;
      last = locked.last;
    }
  };
  await eachOrganization(database, dropOf, signal);
  return dropped;
}

/** Drops the first deliveries of a page, up to a limit of bytes. The next page begins with the remaining deliveries. */
async function dropDeliveryPage(db: Db, orgId: string, page: readonly unknown[]) {
  let before = 0;
  const locked = await db.query(lockDeliveries, page);
  const ids = locked.flatMap(({ id, bytes }) => ((before += bytes) - bytes < batchBytes ? [id] : []));
  if (ids.length === 0) return { deliveries: 0, last: undefined };
  const [row] = await db.query(dropDeliveries, [orgId, ids]);
  return { deliveries: row!.deliveries, last: ids.at(-1) };
}
