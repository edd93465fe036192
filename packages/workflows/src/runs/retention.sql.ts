import { type Database, type Db, firstIdAt, onlyRow, statement } from '@relata/db';
import { batchRows, listOrganizations } from '../in-batches.ts';

/** Returns the SQL condition that a run `r` ended before a time. */
export const isDroppable = (before: string) =>
  `r.status IN ('succeeded', 'failed', 'cancelled') AND coalesce(r.finished_at, r.created_at) < ${before}`;

/**
 * Examines rows that are old by their ids, in the order of the primary key, so that no other rows are read. Drops only
 * rows that are also old by the database's clock, because many processes create ids by their own clocks. Rows of a
 * process whose clock runs ahead are kept longer by that difference. Skips runs that an operator is retrying or
 * replaying.
 */
const dropRuns = statement<{ last: string | null; runs: number }>(
  'workflow_runs.drop_old',
  `WITH old AS MATERIALIZED (
     SELECT r.id FROM workflow_runs r
     WHERE r.org_id = $1 AND r.id < $2 AND r.id > $4 AND ${isDroppable('$5')}
     ORDER BY r.id LIMIT $3 FOR UPDATE SKIP LOCKED
   ), steps AS (
     DELETE FROM workflow_run_steps s USING old WHERE s.org_id = $1 AND s.run_id = old.id
   ), runs AS (
     DELETE FROM workflow_runs r USING old WHERE r.org_id = $1 AND r.id = old.id
   ) SELECT max(id::text)::uuid AS last, count(*)::integer AS runs FROM old`,
);

export const hasRuns = 'EXISTS (SELECT FROM workflow_runs r WHERE r.org_id = d.org_id AND r.delivery_id = d.id)';

/** Locks old deliveries without runs; a delivery is kept as long as one of its runs. */
const lockDeliveries = statement<{ id: string }>(
  'webhook_deliveries.lock_old',
  `SELECT d.id FROM webhook_deliveries d
   WHERE d.org_id = $1 AND d.id < $2 AND d.id > $4 AND d.received_at < $5 AND NOT ${hasRuns}
   ORDER BY d.id LIMIT $3 FOR UPDATE OF d SKIP LOCKED`,
);

/**
 * Checks for runs once more: a replay may have started some between the snapshot of `lockDeliveries` and its lock, and
 * only a new statement sees them.
 */
const dropDeliveries = statement<{ deliveries: number }>(
  'webhook_deliveries.drop_locked',
  `WITH dropped AS (
     DELETE FROM webhook_deliveries d WHERE d.org_id = $1 AND d.id = ANY ($2::uuid[]) AND NOT ${hasRuns} RETURNING d.id
   ), keys AS (
     DELETE FROM webhook_delivery_keys k USING dropped WHERE k.org_id = $1 AND k.delivery_id = dropped.id
   ) SELECT count(*)::integer AS deliveries FROM dropped`,
);

/** Finds the time before which rows are old, by the database's clock. */
export const findCutoff = statement<{ before: string }>(
  'retention.cutoff',
  `SELECT greatest(now() - make_interval(secs => $1::float8 / 1000), 'epoch') AS before`,
);

/** Lower than every id that the service makes. */
const firstId = '00000000-0000-0000-0000-000000000000';

/**
 * Deletes deliveries, runs and journals that are older than `olderThanMs` by the database's clock, in small
 * transactions. An unfinished run stays, with its delivery. Safe to run in two processes at once.
 */
export async function dropOld(database: Database, olderThanMs: number, signal?: AbortSignal) {
  const dropped = { runs: 0, deliveries: 0 };
  const { before } = await onlyRow(database, findCutoff, [olderThanMs]);
  for (const { id: orgId } of await database.query(listOrganizations, [])) {
    const pageAfter = (last: string) => [orgId, firstIdAt(Date.parse(before)), batchRows, last, before];
    for (let last: string | null = firstId; last !== null;) {
      signal?.throwIfAborted();
      const row: { last: string | null; runs: number } = await onlyRow(database, dropRuns, pageAfter(last));
      dropped.runs += row.runs;
      last = row.last;
    }
    for (let last: string | undefined = firstId; last !== undefined;) {
      signal?.throwIfAborted();
      const page = pageAfter(last);
      const locked = await database.transaction((db) => dropDeliveryPage(db, orgId, page));
      dropped.deliveries += locked.deliveries;
      last = locked.last;
    }
  }
  return dropped;
}

async function dropDeliveryPage(db: Db, orgId: string, page: readonly unknown[]) {
  const ids = (await db.query(lockDeliveries, page)).map(({ id }) => id);
  if (ids.length === 0) return { deliveries: 0, last: undefined };
  const [row] = await db.query(dropDeliveries, [orgId, ids]);
  return { deliveries: row!.deliveries, last: ids.at(-1) };
}
