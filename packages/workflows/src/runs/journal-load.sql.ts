import { type Db, listWith, statement } from '@relata/db';
import type { JournalError } from './journal.sql.ts';
import type { RunStep, StepStatus } from './run.sql.ts';

const load = statement<Omit<JournalRow, 'input' | 'output'>>(
  'workflow_run_steps.load',
  `SELECT path, position, status, attempts, failures, error, wake_at FROM workflow_run_steps
   WHERE org_id = $1 AND run_id = $2`,
);

/** Journal entry of a step that was started before. */
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
}

/**
 * Maximum number of characters that are loaded for a run. A run within its limits has fewer characters in its outputs and
 * the items of its loops.
 */
export const journalCharactersMax = 4_000_000;

/** Loads the journal of a run by step path, without inputs and outputs. */
export async function loadJournal(db: Db, orgId: string, runId: string): Promise<Map<string, JournalRow>> {
  const rows = await db.query(load, [orgId, runId]);
  return new Map(rows.map((row) => [row.path, row]));
}

/** Output of a step, or its input if it has not succeeded, as JSON. */
export interface LoadedValue {
  path: string;
  characters: number;
  /** Null if all values together exceed the requested maximum. */
  text: string | null;
}

/**
 * Loads values of these steps in the order they were started: the output of a step that succeeded, else its input.
 * Loads only the sizes if the values together exceed `charactersMax`.
 */
export const loadJournalValues = listWith<
  LoadedValue,
  [orgId: string, runId: string, paths: readonly string[], charactersMax: number]
>(
  'workflow_run_steps.load_values',
  `WITH wanted AS MATERIALIZED (
     SELECT path, position, CASE WHEN status = 'succeeded' THEN output ELSE input END::text AS text
     FROM workflow_run_steps WHERE org_id = $1 AND run_id = $2 AND path = ANY ($3)
   )
   SELECT path, length(text) AS characters,
     CASE WHEN (SELECT sum(length(text)) FROM wanted) <= $4 THEN text END AS text
   FROM wanted WHERE text IS NOT NULL ORDER BY position`,
);
