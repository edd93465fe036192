import { type Db, statement } from '@relata/db';
import { outlineSteps, stepPlace } from '../definitions/step-outline.ts';
import { findDefinition } from '../definitions/workflow.sql.ts';
import { attemptAt, findRunHead, findRunInputs, type Run, type RunStep, shownStep, type StepRow } from './run.sql.ts';

/** A step without input and output, which are most of the data of a run with thousands of steps. */
type StepOutline = Omit<RunStep, 'input' | 'output'> & {
  max_attempts: number;
};

export interface RunOutline extends Run {
  inputs: Record<string, unknown>;
  steps: StepOutline[];
}

const listSteps = statement<Omit<StepOutline, 'failures' | 'max_attempts'> & Pick<StepRow, 'failures'>>(
  'workflow_run_steps.list_outline',
  `SELECT path, use, status, attempts, failures, error, wake_at, started_at, ${attemptAt}, finished_at
   FROM workflow_run_steps WHERE org_id = $1 AND run_id = $2 ORDER BY position`,
);

/** Finds a run with its steps in the order they were started, without inputs and outputs. */
export async function findRunOutline(db: Db, orgId: string, id: string): Promise<RunOutline | undefined> {
  const run = await findRunInputs(db, orgId, id);
  if (!run) return undefined;
  const rows = await db.query(listSteps, [orgId, id]);
  const places = outlineSteps(await findDefinition(db, orgId, run.workflow_id, run.version));
  const most = new Map(places.map(({ path, maxAttempts }) => [path, maxAttempts]));
  const steps = rows.map((row) => ({
    ...row,
    failures: row.failures ?? [],
    max_attempts: most.get(stepPlace(row.path)) ?? Math.max(1, row.attempts),
  }));
  return { ...run, steps };
}

const findStep = statement<StepRow>(
  'workflow_run_steps.find',
  `SELECT path, use, status, attempts, failures, input, output, error, wake_at, started_at, ${attemptAt}, finished_at
   FROM workflow_run_steps WHERE org_id = $1 AND run_id = $2 AND path = coalesce($3,
     (SELECT path FROM workflow_run_steps WHERE org_id = $1 AND run_id = $2 ORDER BY position LIMIT 1))`,
);

/** Finds the input and output of a step, by default the first. Without a path, both are null if none has started. */
export async function findRunStep(
  db: Db,
  orgId: string,
  runId: string,
  path?: string,
): Promise<Pick<RunStep, 'input' | 'output'> | undefined> {
  const [row] = await db.query(findStep, [orgId, runId, path ?? null]);
  if (row) return shownStep(row);
  const isNoneBegun = path === undefined && (await findRunHead(db, orgId, runId)) !== undefined;
  return isNoneBegun ? { input: null, output: null } : undefined;
}
