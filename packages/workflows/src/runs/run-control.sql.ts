import { type Db, findWith, statement } from '@relata/db';
import { networkUses } from '../definitions/steps/step-kinds.ts';
import { failuresMax } from './run.sql.ts';

/** Increments the epoch, which fences off a worker that holds the run. */
const cancel = statement<{ id: string }>(
  'workflow_runs.cancel',
  `UPDATE workflow_runs SET status = 'cancelled', epoch = epoch + 1, finished_at = now()
   WHERE org_id = $1 AND id = $2 AND status IN ('queued', 'running', 'waiting') RETURNING id`,
);

const endSteps = statement<never>(
  'workflow_run_steps.end',
  `UPDATE workflow_run_steps SET status = 'failed', wake_at = NULL, finished_at = now(),
     error = '{"code":"cancelled","message":"The run was cancelled."}'
   WHERE org_id = $1 AND run_id = $2 AND status IN ('pending', 'running', 'waiting')`,
);

/** Ends a run; returns false if it has ended already. The effects of its steps stay. Call it in a transaction. */
export async function endRun(db: Db, orgId: string, id: string): Promise<boolean> {
  if ((await db.query(cancel, [orgId, id])).length === 0) return false;
  await db.query(endSteps, [orgId, id]);
  return true;
}

/**
 * Queues and locks a failed run. Returns the failed step, which the caller must reopen; undefined if the run did not
 * fail, or was replayed and `evenReplayed` is false.
 */
export const reopenFailed = findWith<{ step: string | null }, [orgId: string, id: string, evenReplayed: boolean]>(
  'workflow_runs.retry',
  `UPDATE workflow_runs r SET status = 'queued', error = NULL, finished_at = NULL, due_at = now(), stalls = 0,
     is_replayed = false, idle_ms = idle_ms + coalesce(extract(epoch FROM now() - r.finished_at) * 1000, 0)
   FROM (
     SELECT org_id, id, error ->> 'step' AS step FROM workflow_runs
     WHERE org_id = $1 AND id = $2 AND status = 'failed' AND ($3 OR NOT is_replayed) FOR UPDATE
   ) f
   WHERE r.org_id = f.org_id AND r.id = f.id RETURNING f.step`,
);

/**
 * Reopens the failed step, with all attempts available again, and the loop around it. A step that failed with
 * `on_error: continue` stays failed, with everything inside it, because later steps have seen the failure. Keeps the
 * errors of failed attempts. A step that calls another system has already stored the error of its last attempt; for
 * other steps, this statement adds it.
 */
const reopenStep = statement<never>(
  'workflow_run_steps.retry',
  `UPDATE workflow_run_steps SET
     status = 'pending', attempts = 0, error = NULL, finished_at = NULL, wake_at = NULL,
     failures = CASE WHEN failures IS NOT NULL AND use = ANY ($5::text[]) THEN failures ELSE (
       SELECT json_agg(failure ORDER BY n NULLS LAST) FROM (
         SELECT failure, n FROM json_array_elements(failures) WITH ORDINALITY AS f (failure, n)
         WHERE n > json_array_length(failures) - ${failuresMax - 1}
         UNION ALL SELECT json_build_object('attempt', attempts, 'started_at', coalesce(attempt_at, started_at),
           'finished_at', finished_at, 'error', error), NULL
       ) f) END
   WHERE org_id = $1 AND run_id = $2 AND status = 'failed' AND (path = $3 OR starts_with($3, path || '['))
     AND NOT path = ANY ($4::text[])`,
);

/** Reopens the failed step of a run and the loop around it, but no step whose path is in `except`. */
export async function reopenSteps(
  db: Db,
  orgId: string,
  id: string,
  { step, except = [] }: { step: string | null; except?: readonly string[] },
): Promise<void> {
  await db.query(reopenStep, [orgId, id, step, except, networkUses]);
}

/**
 * Reopens a failed run at the step that failed; returns false if it did not fail. With `evenReplayed` false, also leaves
 * a run unchanged that was replayed, so that its delivery does not have its effects twice. Call it in a transaction.
 */
export async function reopenRun(db: Db, orgId: string, id: string, evenReplayed: boolean): Promise<boolean> {
  const reopened = await reopenFailed(db, orgId, id, evenReplayed);
  if (reopened) await reopenSteps(db, orgId, id, reopened);
  return reopened !== undefined;
}
