import { type Db, firstRow, listWith, statement } from '@relata/db';
import type { Cause, ProblemState } from './problem.sql.ts';

/** Maximum number of stored states per organization. Beyond it, the oldest are deleted: their problems reopen. */
const keptMax = 1_000;

const find = statement<{ state: 'resolved' | 'ignored' }>(
  'problem_states.find',
  'SELECT state FROM problem_states WHERE org_id = $1 AND workflow_id = $2 AND step = $3 AND code = $4 FOR UPDATE',
);

/** Locks and returns the stored state of a problem; undefined if none is stored. */
export async function lockProblemState(db: Db, orgId: string, cause: Cause): Promise<ProblemState | undefined> {
  return (await firstRow(db, find, [orgId, ...valuesOf(cause)]))?.state;
}

export const lockWorkflow = listWith<never, [orgId: string, workflowId: string]>(
  'problem_states.lock_workflow',
  'SELECT FROM workflows WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE',
);

const remove = statement<never>(
  'problem_states.remove',
  'DELETE FROM problem_states WHERE org_id = $1 AND workflow_id = $2 AND step = $3 AND code = $4',
);

export async function removeProblemState(db: Db, orgId: string, cause: Cause): Promise<void> {
  await db.query(remove, [orgId, ...valuesOf(cause)]);
}

const store = statement<never>(
  'problem_states.store',
  `WITH dropped AS (
     DELETE FROM problem_states WHERE (org_id, workflow_id, step, code) IN (
       SELECT org_id, workflow_id, step, code FROM problem_states WHERE org_id = $1
       ORDER BY changed_at DESC OFFSET ${keptMax - 1}
     ) AND (workflow_id, step, code) <> ($2, $3, $4)
   )
   INSERT INTO problem_states AS s (org_id, workflow_id, step, code, state, failed_at, runs, version, changed_by)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::json)
   ON CONFLICT (org_id, workflow_id, step, code) DO UPDATE SET state = excluded.state, failed_at = excluded.failed_at,
     runs = excluded.runs, version = excluded.version, changed_by = excluded.changed_by, changed_at = now()`,
);

/** State of a problem, with its runs and last failure when it was resolved or ignored. Later failures count as new. */
export interface Known {
  state: 'resolved' | 'ignored';
  failedAt: string;
  runs: number;
  version: number;
  /** JSON of a `StoredActor`. */
  author: string;
}

export async function storeProblemState(db: Db, orgId: string, cause: Cause, known: Known): Promise<void> {
  const { state, failedAt, runs, version, author } = known;
  await db.query(store, [orgId, ...valuesOf(cause), state, failedAt, runs, version, author]);
}

const valuesOf = ({ workflowId, step, code }: Cause) => [workflowId, step, code];
