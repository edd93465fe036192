import { type Db, listWith, statement } from '@relata/db';
import type { StepStatus } from './run.sql.ts';

/**
 * A step that a run has started. A failure with `on_error: continue` counts as done, because later steps have seen it.
 */
export interface JournaledStep {
  path: string;
  use: string;
  status: StepStatus;
  is_done: boolean;
}

export const listJournaledSteps = listWith<JournaledStep, [orgId: string, runId: string]>(
  'workflow_run_steps.list_kinds',
  `SELECT path, use, status,
     status IN ('succeeded', 'skipped') OR (status = 'failed' AND coalesce((error ->> 'passed_over')::boolean, false))
       AS is_done
   FROM workflow_run_steps WHERE org_id = $1 AND run_id = $2 ORDER BY position`,
);

const move = statement<never>(
  'workflow_runs.move',
  'UPDATE workflow_runs SET version = $3, inputs = $4::json, is_limited = $5 WHERE org_id = $1 AND id = $2',
);

interface Move {
  version: number;
  inputs: Record<string, unknown>;
  isLimited: boolean;
}

/** Moves a run to another version of its workflow. The caller must have locked the run. */
export async function moveRun(db: Db, orgId: string, id: string, { version, inputs, isLimited }: Move): Promise<void> {
  await db.query(move, [orgId, id, version, JSON.stringify(inputs), isLimited]);
}

const replace = statement<never>(
  'workflow_run_steps.replace_kinds',
  `UPDATE workflow_run_steps s SET use = g.use, input = NULL
   FROM unnest($3::text[], $4::text[]) AS g (path, use)
   WHERE s.org_id = $1 AND s.run_id = $2 AND s.path = g.path AND s.status = 'pending'`,
);

/** Changes the kind of pending steps and clears their inputs, which belong to the previous kind. */
export async function replaceKinds(
  db: Db,
  orgId: string,
  runId: string,
  steps: readonly { path: string; use: string }[],
): Promise<void> {
  if (steps.length === 0) return;
  await db.query(replace, [orgId, runId, steps.map(({ path }) => path), steps.map(({ use }) => use)]);
}
