import { type Db, statement } from '@relata/db';
import type { HeldRun } from './lease.sql.ts';
import type { RunStep, StepError, StepStatus } from './run.sql.ts';

/** A failure that is passed over lets the run go on; any other ends the loop or the run that it is in. */
type JournalError = StepError & { passed_over?: boolean };

/** What is written of a step. Times are the database's. */
export interface JournalEntry {
  path: string;
  position: number;
  use: string;
  status: StepStatus;
  attempts: number;
  failures?: RunStep['failures'];
  /** As JSON, like the output: it is made once, where it is measured. */
  input?: string | undefined;
  output?: string | undefined;
  error?: JournalError;
  /** Goes on after so long, by the database's clock. */
  wakeInMs?: number;
  /** Goes on at this instant. */
  wakeAt?: string;
}

/** What becomes of the run with these entries. */
export type RunOutcome =
  | { status: 'running'; leaseMs: number }
  /** Until what waits among its steps is due, else for so long. */
  | { status: 'waiting'; inMs?: number }
  | { status: 'succeeded' }
  | { status: 'failed'; error: StepError };

/**
 * The fence comes first and locks the run: a worker whose claim was superseded writes nothing. A step that is done is
 * never written again.
 */
const write = statement<{ fenced: number; written: number; wake_at: string | null }>(
  'workflow_run_steps.write',
  `WITH given AS MATERIALIZED (
     SELECT *, coalesce(wake_at, now() + make_interval(secs => wake_in_ms / 1000)) AS wakes FROM json_to_recordset($4::json) AS g (
       path text, position integer, use text, status text, attempts integer, failures json, input json, output json,
       error json, wake_in_ms float8, wake_at timestamptz)
   ), fence AS (
     UPDATE workflow_runs SET
       status = $5, stalls = 0, error = $7::json,
       due_at = CASE $5
         WHEN 'running' THEN now() + make_interval(secs => $6::float8 / 1000)
         WHEN 'waiting' THEN coalesce(
           (SELECT min(wakes) FROM given WHERE status = 'waiting'), now() + make_interval(secs => $6::float8 / 1000), now())
         ELSE due_at END,
       finished_at = CASE WHEN $5 IN ('succeeded', 'failed') THEN now() END
     WHERE org_id = $1 AND id = $2 AND epoch = $3 AND status = 'running'
     RETURNING org_id, id, due_at
   ), written AS (
     INSERT INTO workflow_run_steps AS s (org_id, run_id, path, position, use, status, attempts, failures, input,
       output, error, wake_at, started_at, finished_at)
     SELECT f.org_id, f.id, g.path, g.position, g.use, g.status, g.attempts, g.failures, g.input, g.output, g.error,
       g.wakes, now(), CASE WHEN g.status IN ('succeeded', 'failed', 'skipped') THEN now() END
     FROM fence f CROSS JOIN given g
     ON CONFLICT (org_id, run_id, path) DO UPDATE SET
       status = excluded.status, attempts = excluded.attempts, failures = coalesce(excluded.failures, s.failures),
       input = coalesce(excluded.input, s.input), output = excluded.output, error = excluded.error,
       wake_at = coalesce(excluded.wake_at, s.wake_at), finished_at = excluded.finished_at
     WHERE s.status NOT IN ('succeeded', 'skipped')
     RETURNING 1
   )
   SELECT count(*)::integer AS fenced, (SELECT count(*)::integer FROM written) AS written, max(due_at) AS wake_at
   FROM fence`,
);

/** The lease of the run is lost: another worker has claimed it, or it was cancelled. Nothing was written. */
export class LeaseLostError extends Error {
  override name = 'LeaseLostError';
}

/** A step is done that the worker did not know of: an earlier commit succeeded, but its confirmation was lost. */
export class StaleJournalError extends Error {
  override name = 'StaleJournalError';
}

/**
 * Writes steps and the run's state together, or throws LeaseLostError or StaleJournalError; the transaction
 * must then not be committed. Returns when a run that waits is due.
 */
export async function writeJournal(
  db: Db,
  { orgId, id, epoch }: HeldRun,
  entries: readonly JournalEntry[],
  outcome: RunOutcome,
): Promise<string | null> {
  const dueInMs = outcome.status === 'running' ? outcome.leaseMs : outcome.status === 'waiting' ? outcome.inMs : null;
  const error = outcome.status === 'failed' ? JSON.stringify(outcome.error) : null;
  const rows = `[${entries.map(rowText).join()}]`;
  const [row] = await db.query(write, [orgId, id, epoch, rows, outcome.status, dueInMs ?? null, error]);
  if (row!.fenced === 0) throw new LeaseLostError('Another worker has the run, or it was cancelled.');
  if (row!.written < entries.length) throw new StaleJournalError('A step was done already.');
  return row!.wake_at;
}

function rowText({ wakeInMs, wakeAt, input, output, ...entry }: JournalEntry): string {
  const row = JSON.stringify({ ...entry, wake_in_ms: wakeInMs, wake_at: wakeAt });
  return `${row.slice(0, -1)},"input":${input ?? null},"output":${output ?? null}}`;
}

const load = statement<Omit<JournalRow, 'input' | 'output'>>(
  'workflow_run_steps.load',
  `SELECT path, position, status, attempts, failures, error, wake_at, started_at FROM workflow_run_steps
   WHERE org_id = $1 AND run_id = $2`,
);

/** What a worker finds of a step that was begun before. */
export interface JournalRow {
  path: string;
  position: number;
  status: StepStatus;
  attempts: number;
  failures: RunStep['failures'] | null;
  input?: unknown;
  output?: unknown;
  error: JournalError | null;
  wake_at: string | null;
  started_at: string;
}

/** What is known of the steps of a run, without their inputs and outputs. */
export async function loadJournal(db: Db, orgId: string, runId: string): Promise<Map<string, JournalRow>> {
  const rows = await db.query(load, [orgId, runId]);
  return new Map(rows.map((row) => [row.path, row]));
}

/** Outputs of steps, or the inputs of those that have not ended, as JSON. */
export interface LoadedValue {
  path: string;
  characters: number;
  /** Null where all together are more than was asked for. */
  text: string | null;
}

const loadTexts = statement<LoadedValue>(
  'workflow_run_steps.load_values',
  `WITH wanted AS MATERIALIZED (
     SELECT path, position, CASE WHEN status = 'succeeded' THEN output ELSE input END::text AS text
     FROM workflow_run_steps WHERE org_id = $1 AND run_id = $2 AND path = ANY ($3)
   )
   SELECT path, length(text) AS characters,
     CASE WHEN (SELECT sum(length(text)) FROM wanted) <= $4 THEN text END AS text
   FROM wanted WHERE text IS NOT NULL ORDER BY position`,
);

/**
 * Values of these steps in the order in which they were begun: the output of each that has succeeded, the input of any
 * other. If all together have more than `charactersMax`, only their sizes.
 */
export function loadJournalValues(
  db: Db,
  { orgId, id }: Pick<HeldRun, 'orgId' | 'id'>,
  paths: readonly string[],
  charactersMax: number,
): Promise<LoadedValue[]> {
  return db.query(loadTexts, [orgId, id, paths, charactersMax]);
}
