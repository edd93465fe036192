import { type Db, firstIdAt, onlyRow, statement } from '@relata/db';
import { findCutoff, hasRuns, isDroppable } from './retention.sql.ts';

/** Seconds since the oldest row should have been dropped, by the database's clock; 0 if none is overdue. */
interface OverdueRows {
  runs: number;
  deliveries: number;
}

/** Finds the first run and delivery of each organization that retention would drop, each by one lookup in a key. */
const findOverdue = statement<OverdueRows>(
  'retention.overdue',
  `SELECT coalesce(extract(epoch FROM $2::timestamptz - min(run.at)), 0)::float8 AS runs,
     coalesce(extract(epoch FROM $2::timestamptz - min(delivery.at)), 0)::float8 AS deliveries
   FROM organizations o
   LEFT JOIN LATERAL (
     SELECT coalesce(r.finished_at, r.created_at) AS at FROM workflow_runs r
     WHERE r.org_id = o.id AND r.id < $1 AND ${isDroppable('$2')} ORDER BY r.id LIMIT 1
   ) run ON true
   LEFT JOIN LATERAL (
     SELECT d.received_at AS at FROM webhook_deliveries d
     WHERE d.org_id = o.id AND d.id < $1 AND d.received_at < $2 AND NOT ${hasRuns} ORDER BY d.id LIMIT 1
   ) delivery ON true`,
);

/**
 * Returns how far retention is behind with deliveries and runs older than `olderThanMs`. Rows that it keeps on purpose,
 * such as an unfinished run and its delivery, do not count.
 */
export async function findOverdueRows(db: Db, olderThanMs: number): Promise<OverdueRows> {
  const { before } = await onlyRow(db, findCutoff, [olderThanMs]);
  return onlyRow(db, findOverdue, [firstIdAt(Date.parse(before)), before]);
}
