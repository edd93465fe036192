import { type Db, firstIdAt, statement } from '@relata/db';
import { findCutoff, hasRuns, isDroppable } from './retention.sql.ts';

/** Seconds for which the oldest row should have been dropped, by the clock of the database; 0 where none should. */
interface OverdueRows {
  runs: number;
  deliveries: number;
}

/** The first of each organization that retention would drop: one look into a primary key for each. */
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
 * How far retention is behind with deliveries and runs that are older than this. What it keeps on purpose, as a run that
 * has not ended and its delivery, is not counted.
 */
export async function findOverdueRows(db: Db, olderThanMs: number): Promise<OverdueRows> {
  const [cutoff] = await db.query(findCutoff, [olderThanMs]);
  const { before } = cutoff!;
  const [row] = await db.query(findOverdue, [firstIdAt(Date.parse(before)), before]);
  return row!;
}
