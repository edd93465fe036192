import { type SharedStatement, statement, type UnitDb } from '@relata/db';
import { type HeldRun, inOrder } from './lease.sql.ts';
import type { RunStep, StepError, StepStatus } from './run.sql.ts';

/**
 * Error of a step. If `passed_over` is true, the run continues. Otherwise the loop or run that contains the step fails.
 */
export type JournalError = StepError & { passed_over?: boolean };

/** Journal entry to write for a step. Times are by the database's clock. */
export interface JournalEntry {
  path: string;
  position: number;
  use: string;
  status: StepStatus;
  attempts: number;
  failures?: RunStep['failures'];
  /** Input as JSON text, like the output. It is serialized only once, where its size is measured. */
  input?: string | undefined;
  output?: string | undefined;
  error?: JournalError;
  /** Milliseconds until the step continues, by the database's clock. */
  wakeInMs?: number;
  wakeAt?: string;
}

/** State of the run after these entries. */
export type RunOutcome =
  /**
   * `isRepeated` is true if an interrupted attempt begins again. The count of stalled claims is then kept; otherwise it
   * is reset to 0.
   */
  | { status: 'running'; leaseMs: number; isRepeated?: boolean }
  /** Waits until the first of its waiting steps is due, or for `inMs` if none waits. */
  | { status: 'waiting'; inMs?: number }
  | { status: 'succeeded' }
  | { status: 'failed'; error: StepError };

/**
 * Writes the steps and the state of many runs. The CTE `fence` locks the runs in a fixed order before any step is
 * written, so a worker that has lost its claim writes nothing. A completed step is never written again. The condition `n BETWEEN`
 * makes the planner expect a single row. It then looks up each run by its key, whatever the statistics were when the
 * plan was made.
 */
const write = statement<Written & { n: number }>(
  'workflow_run_steps.write',
  `WITH given AS MATERIALIZED (
     SELECT *, coalesce(wake_at, now() + make_interval(secs => wake_in_ms / 1000)) AS wakes FROM json_to_recordset($8::json) AS g (
       n integer, path text, position integer, use text, status text, attempts integer, failures json, input json,
       output json, error json, wake_in_ms float8, wake_at timestamptz)
   ), fence AS (
     UPDATE workflow_runs r SET
       status = o.status, stalls = CASE WHEN o.is_repeated THEN r.stalls ELSE 0 END, error = o.error,
       due_at = CASE o.status
         WHEN 'running' THEN now() + make_interval(secs => o.in_ms / 1000)
         WHEN 'waiting' THEN coalesce(
           (SELECT min(wakes) FROM given g WHERE g.n = o.n AND g.status = 'waiting'),
           now() + make_interval(secs => o.in_ms / 1000), now())
         ELSE r.due_at END,
       finished_at = CASE WHEN o.status IN ('succeeded', 'failed') THEN now() END
     FROM unnest($1::uuid[], $2::uuid[], $3::integer[], $4::text[], $5::float8[], $6::json[],
       $7::boolean[]) WITH ORDINALITY AS o (org_id, id, epoch, status, in_ms, error, is_repeated, n)
     WHERE o.n BETWEEN 1 AND 1000000 AND r.org_id = o.org_id AND r.id = o.id AND r.epoch = o.epoch AND r.status = 'running'
     RETURNING r.org_id, r.id, r.due_at, o.n
   ), written AS (
     INSERT INTO workflow_run_steps AS s (org_id, run_id, path, position, use, status, attempts, failures, input,
       output, error, wake_at, started_at, finished_at)
     SELECT f.org_id, f.id, g.path, g.position, g.use, g.status, g.attempts, g.failures, g.input, g.output, g.error,
       g.wakes, now(), CASE WHEN g.status IN ('succeeded', 'failed', 'skipped') THEN now() END
     FROM fence f JOIN given g ON g.n = f.n
     ON CONFLICT (org_id, run_id, path) DO UPDATE SET
       status = excluded.status, attempts = excluded.attempts, failures = coalesce(excluded.failures, s.failures),
       input = coalesce(excluded.input, s.input), output = excluded.output, error = excluded.error,
       wake_at = coalesce(excluded.wake_at, s.wake_at), finished_at = excluded.finished_at,
       attempt_at = CASE WHEN s.status = 'running' THEN s.attempt_at ELSE now() END
     WHERE s.status NOT IN ('succeeded', 'skipped')
     RETURNING run_id
   )
   SELECT f.n::integer, f.due_at AS wake_at, (SELECT count(*)::integer FROM written w WHERE w.run_id = f.id) AS written
   FROM fence f`,
);

/**
 * Result for a run that the worker still holds: the time when it is due, and the number of entries that were written.
 */
interface Written {
  wake_at: string;
  written: number;
}

export interface RunEntries extends HeldRun {
  entries: readonly JournalEntry[];
  outcome: RunOutcome;
}

/** Statement that writes the journals of several runs. The result is undefined for a run whose lease is lost. */
const journals: SharedStatement<RunEntries, Written | undefined> = {
  async run(db, given) {
    const runs = inOrder(given);
    const rows = await db.query(write, [
      runs.map(({ org_id }) => org_id),
      runs.map(({ id }) => id),
      runs.map(({ epoch }) => epoch),
      runs.map(({ outcome }) => outcome.status),
      runs.map(({ outcome }) => dueInMs(outcome)),
      runs.map(({ outcome }) => (outcome.status === 'failed' ? JSON.stringify(outcome.error) : null)),
      runs.map(({ outcome }) => outcome.status === 'running' && outcome.isRepeated === true),
      `[${runs.flatMap(({ entries }, i) => entries.map((entry) => rowText(entry, i + 1))).join()}]`,
    ]);
    const written = new Map(rows.map((row) => [runs[row.n - 1], row]));
    return given.map((run) => written.get(run));
  },
  wrote: (written) => written !== undefined,
  isLast: true,
  // Limits for calls outside of transactions. These calls write that an attempt starts or ends, or that a run waits.
  // Few of them wait at the same time, and each statement is short.
  batching: {
    partyOf: ({ org_id }) => [org_id],
    itemsMax: 32,
    partyMax: 8,
    // At most three statements run at once, never two for the same organization.
    flushers: 3,
    areApart: true,
    // No limit is needed for waiting calls, because each run of the worker has at most one.
    waitingMax: Infinity,
    // A run that writes more gets a statement of its own.
    weight: { of: ({ entries }) => countJournalCharacters(entries), batchMax: 300_000, waitingMax: Infinity },
  },
};

/** Returns the number of characters of all inputs and outputs, as JSON. */
export function countJournalCharacters(entries: RunEntries['entries']): number {
  return entries.reduce((sum, { input, output }) => sum + (input?.length ?? 0) + (output?.length ?? 0), 0);
}

function dueInMs(outcome: RunOutcome): number | null {
  if (outcome.status === 'running') return outcome.leaseMs;
  return (outcome.status === 'waiting' ? outcome.inMs : undefined) ?? null;
}

/** The lease of the run is lost: another worker has claimed the run, or it was cancelled. Nothing was written. */
export class LeaseLostError extends Error {
  override name = 'LeaseLostError';
}

/** An earlier commit has completed a step, but this worker does not know, because the confirmation was lost. */
export class StaleJournalError extends Error {
  override name = 'StaleJournalError';
}

/**
 * Writes steps and the state of the run together. Returns the time when a waiting run is due. Throws LeaseLostError or
 * StaleJournalError, after which the transaction must not be committed. A unit calls this last: all runs of a shared
 * transaction write in one statement. Outside of transactions, runs that write at the same time share a statement too,
 * and if the write of one fails, the others are still written.
 */
export async function writeJournal(
  db: UnitDb,
  run: HeldRun,
  entries: readonly JournalEntry[],
  outcome: RunOutcome,
): Promise<string | null> {
  const written = await db.call(journals, { ...run, entries, outcome });
  if (!written) throw new LeaseLostError('Another worker has the run, or it was cancelled.');
  if (written.written < entries.length) throw new StaleJournalError('A step was done already.');
  return written.wake_at;
}

function rowText({ wakeInMs, wakeAt, input, output, ...entry }: JournalEntry, n: number): string {
  const row = JSON.stringify({ ...entry, n, wake_in_ms: wakeInMs, wake_at: wakeAt });
  return `${row.slice(0, -1)},"input":${input ?? null},"output":${output ?? null}}`;
}
