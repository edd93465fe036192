import { type Db, findValueWith, findWith, statement } from '@relata/db';
import { redactHeaders } from './sensitive-headers.ts';

export const runStatuses = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const;

export type RunStatus = (typeof runStatuses)[number];
export type StepStatus = 'pending' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'skipped';

/** Why a step or a run failed. Messages are safe to show to the organization. */
export interface StepError {
  code: string;
  message: string;
  /** The step that failed, if this is the error of a run. */
  step?: string;
  details?: unknown;
}

export interface Run {
  id: string;
  org_id: string;
  workflow_id: string;
  workflow: string;
  version: number;
  /** The newest version of the workflow. */
  latest_version: number;
  delivery_id: string;
  trigger_id: string;
  trigger: string;
  replay: number;
  status: RunStatus;
  error: StepError | null;
  /** Time at which a waiting run continues: when its timer ends or its next attempt is due. */
  wake_at: string | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  /** Total time between failures and retries, in ms. It is not part of the run's duration. */
  idle_ms: number;
  /** True if the run failed and a replay of its delivery has started this workflow since. */
  is_replayed: boolean;
}

/** Maximum number of failed attempts that are kept for a step: the latest, because retries may continue for weeks. */
export const failuresMax = 100;

export interface RunStep {
  path: string;
  use: string;
  status: StepStatus;
  attempts: number;
  failures: { attempt: number; started_at: string; finished_at: string; error: StepError }[];
  input: unknown;
  output: unknown;
  error: StepError | null;
  wake_at: string | null;
  started_at: string | null;
  /** When the last attempt began. */
  attempt_at: string | null;
  finished_at: string | null;
}

export interface RunDetail extends Run {
  inputs: Record<string, unknown>;
  steps: RunStep[];
}

/** Columns of a run in a list; `r` is the run, `w` its workflow, `t` its trigger. */
export const runColumns = `r.id, r.org_id, r.workflow_id, w.name AS workflow, r.version, w.version AS latest_version, r.delivery_id, r.trigger_id,
  t.name AS trigger, r.replay, r.status, r.error, CASE WHEN r.status = 'waiting' THEN r.due_at END AS wake_at,
  r.created_at, r.started_at, r.finished_at, round(r.idle_ms) AS idle_ms, r.is_replayed`;

export const runTables = `FROM workflow_runs r
  JOIN workflows w ON w.org_id = r.org_id AND w.id = r.workflow_id
  JOIN webhook_triggers t ON t.org_id = r.org_id AND t.id = r.trigger_id`;

/** Finds a run without its inputs and steps. */
export const findRunHead = findWith<Run, [orgId: string, id: string]>(
  'workflow_runs.find_head',
  `SELECT ${runColumns} ${runTables} WHERE r.org_id = $1 AND r.id = $2`,
);

/** Finds a run without its steps. */
export const findRunInputs = findWith<Run & { inputs: Record<string, unknown> }, [orgId: string, id: string]>(
  'workflow_runs.find',
  `SELECT ${runColumns}, r.inputs ${runTables} WHERE r.org_id = $1 AND r.id = $2`,
);

export type StepRow = Omit<RunStep, 'failures'> & { failures: RunStep['failures'] | null };

/**
 * Estimates when the last attempt began, for a step that an earlier release wrote: not before it was due, nor before
 * the previous attempt ended.
 */
export const attemptAt = `coalesce(attempt_at, CASE WHEN failures IS NULL THEN started_at
  ELSE greatest(started_at, wake_at, (failures -> -1 ->> 'finished_at')::timestamptz) END) AS attempt_at`;

/** Maximum size of the inputs and outputs that are read with a run, as JSON. */
const valuesBytesMax = 4_000_000;

// Stored sizes are known without reading the values. Values are only read and measured while the sum of their stored
// sizes is within the maximum.
const storedBytes = 'coalesce(pg_column_size(input), 0) + coalesce(pg_column_size(output), 0)';
const bytes = 'coalesce(octet_length(input::text), 0) + coalesce(octet_length(output::text), 0)';

const listSteps = statement<StepRow & { fits: boolean }>(
  'workflow_run_steps.list',
  `WITH stored AS MATERIALIZED (
     SELECT *, sum(${storedBytes}) OVER (ORDER BY position DESC, path DESC) AS stored_bytes
     FROM workflow_run_steps WHERE org_id = $1 AND run_id = $2
   ), sized AS MATERIALIZED (
     SELECT *, sum(CASE WHEN stored_bytes <= $3::integer THEN ${bytes} ELSE $3::integer + 1 END)
       OVER (ORDER BY position DESC, path DESC) <= $3::integer AS fits FROM stored
   )
   SELECT path, use, status, attempts, failures, CASE WHEN fits THEN input END AS input,
     CASE WHEN fits THEN output END AS output, error, wake_at, started_at, ${attemptAt}, finished_at,
     fits OR (input IS NULL AND output IS NULL) AS fits
   FROM sized ORDER BY position, path`,
);

/**
 * Finds a run with the journal of its steps, in the order they were started. If the inputs and outputs exceed 4 MB
 * together, those of the first steps are undefined. Redacts headers with credentials: earlier releases stored them with
 * inputs, and outputs keep them because later steps may need them.
 */
export async function findRun(db: Db, orgId: string, id: string): Promise<RunDetail | undefined> {
  const run = await findRunInputs(db, orgId, id);
  if (!run) return undefined;
  const rows = await db.query(listSteps, [orgId, id, valuesBytesMax]);
  const steps = rows.map(({ fits, ...step }) => (fits ? shownStep(step) : { ...shownStep(step), ...leftOut }));
  return { ...run, steps };
}

const leftOut = { input: undefined, output: undefined };

export function shownStep(step: StepRow): RunStep {
  const { use, input, output, failures } = step;
  return {
    ...step,
    failures: failures ?? [],
    input: redactHeaders(use, input),
    output: redactHeaders(use, output),
  };
}

const countOpen = statement<{ status: RunStatus; n: number }>(
  'workflow_runs.count_open',
  `SELECT status, count(*) AS n FROM workflow_runs WHERE status IN ('queued', 'running', 'waiting') GROUP BY status`,
);

/** Counts the unfinished runs of all organizations by state. */
export async function countOpenRuns(db: Db): Promise<Record<string, number>> {
  const counted = await db.query(countOpen, []);
  return { queued: 0, running: 0, waiting: 0, ...Object.fromEntries(counted.map(({ status, n }) => [status, n])) };
}

/** Finds the organization of a run, for an operator who gives only the id of the run. */
export const findRunOrganization = findValueWith<string, [id: string]>(
  'workflow_runs.organization',
  'SELECT r.org_id FROM organizations o JOIN workflow_runs r ON r.org_id = o.id WHERE r.id = $1',
);
