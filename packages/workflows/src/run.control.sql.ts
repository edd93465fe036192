import { type Db, statement } from '@relata/db';

/** A worker that has the run at this moment is fenced off by the epoch. */
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

/** Ends a run that has not ended; false where it has. What its steps have done stays. Call it in a transaction. */
export async function cancelRun(db: Db, orgId: string, id: string): Promise<boolean> {
  if ((await db.query(cancel, [orgId, id])).length === 0) return false;
  await db.query(endSteps, [orgId, id]);
  return true;
}

const reopen = statement<{ id: string }>(
  'workflow_runs.retry',
  `UPDATE workflow_runs SET status = 'queued', error = NULL, finished_at = NULL, due_at = now(), stalls = 0
   WHERE org_id = $1 AND id = $2 AND status = 'failed' RETURNING id`,
);

/**
 * The steps at fault begin anew, with all of their attempts. One that failed and was passed over, as its definition
 * says, is done with: what came after it knew.
 */
const reopenSteps = statement<never>(
  'workflow_run_steps.retry',
  `UPDATE workflow_run_steps SET status = 'pending', attempts = 0, error = NULL, finished_at = NULL, wake_at = NULL
   WHERE org_id = $1 AND run_id = $2 AND status = 'failed' AND NOT coalesce((error ->> 'passed_over')::boolean, false)`,
);

/** Lets a failed run go on from the step that failed; false where it did not fail. Call it in a transaction. */
export async function retryRun(db: Db, orgId: string, id: string): Promise<boolean> {
  if ((await db.query(reopen, [orgId, id])).length === 0) return false;
  await db.query(reopenSteps, [orgId, id]);
  return true;
}
