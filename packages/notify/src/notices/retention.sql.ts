import { type Db, readWith } from '@relata/db';

/**
 * Drops notices that have had nothing to report for 7 days, and notes of failures that nobody has collected for a day.
 * Old notices are few, and old notes exist only if no worker runs.
 */
const drop = readWith<{ notices: number; notes: number }>(
  'notices.drop_old',
  `WITH old AS (
     DELETE FROM notices WHERE (org_id, kind, cause) IN (
       SELECT org_id, kind, cause FROM notices
       WHERE due_at IS NULL AND greatest(last_at, sent_at) < now() - interval '7 days' FOR UPDATE SKIP LOCKED
     ) RETURNING org_id
   ), notes AS (
     DELETE FROM failed_run_notes WHERE (org_id, run_id) IN (
       SELECT org_id, run_id FROM failed_run_notes WHERE failed_at < now() - interval '1 day' LIMIT 100000
       FOR UPDATE SKIP LOCKED
     ) RETURNING org_id
   ), start_notes AS (
     DELETE FROM refused_start_notes WHERE (org_id, delivery_id) IN (
       SELECT org_id, delivery_id FROM refused_start_notes WHERE noted_at < now() - interval '1 day' LIMIT 100000
       FOR UPDATE SKIP LOCKED
     ) RETURNING org_id
   ) SELECT (SELECT count(*)::integer FROM old) AS notices,
     (SELECT count(*) FROM notes)::integer + (SELECT count(*) FROM start_notes)::integer AS notes`,
);

/** Returns the numbers of dropped rows. */
export const dropOldNotices = (db: Db): Promise<{ notices: number; notes: number }> => drop(db);
