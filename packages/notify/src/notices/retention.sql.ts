import { batchRows, inBatches, statement } from '@relata/db';

const dropNotices = statement<{ rows: number }>(
  'notices.drop_old',
  `WITH dropped AS (
     DELETE FROM notices WHERE org_id = $1 AND (kind, cause) IN (
       SELECT kind, cause FROM notices
       WHERE org_id = $1 AND due_at IS NULL AND greatest(last_at, sent_at) < now() - interval '7 days'
       LIMIT ${batchRows} FOR UPDATE SKIP LOCKED
     ) RETURNING org_id
   ) SELECT count(*)::integer AS rows FROM dropped`,
);

/** Drops notices that have had nothing to report for 7 days, and returns their number. */
export const dropOldNotices = inBatches({ batch: dropNotices });

const dropNotes = statement<{ rows: number }>(
  'failed_run_notes.drop_old',
  `WITH runs AS (
     DELETE FROM failed_run_notes WHERE org_id = $1 AND run_id IN (
       SELECT run_id FROM failed_run_notes WHERE org_id = $1 AND failed_at < now() - interval '1 day'
       LIMIT ${batchRows} FOR UPDATE SKIP LOCKED
     ) RETURNING org_id
   ), starts AS (
     DELETE FROM refused_start_notes WHERE org_id = $1 AND delivery_id IN (
       SELECT delivery_id FROM refused_start_notes WHERE org_id = $1 AND noted_at < now() - interval '1 day'
       LIMIT ${batchRows} FOR UPDATE SKIP LOCKED
     ) RETURNING org_id
   ) SELECT (SELECT count(*) FROM runs)::integer + (SELECT count(*) FROM starts)::integer AS rows`,
);

/**
 * Drops notes of failures that nobody has collected for a day, and returns their number. Such notes exist only if no
 * worker collects them.
 */
export const dropOldNotes = inBatches({ batch: dropNotes });
