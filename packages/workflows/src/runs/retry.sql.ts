import { type Db, statement } from '@relata/db';
import { outlineSteps, stepPlace } from '../definitions/step-outline.ts';
import type { Run } from './run.sql.ts';

/** Condition that a step waits for its next attempt. A step that waits for a time in its definition has no error. */
export const isStepRetrying = `s.status = 'waiting' AND s.error IS NOT NULL`;

/** The next attempt of a step, for which its run waits. */
export interface Retry {
  step: string;
  attempt: number;
  max_attempts: number;
  /** Error message of the last attempt. */
  message: string;
}

interface RetryRow {
  run_id: string;
  path: string;
  attempts: number;
  message: string;
  definition: unknown;
}

/** Uses LATERAL, so that each run's steps are read by their key. Of several waiting steps, returns the first due. */
const listRetrying = statement<RetryRow>(
  'workflow_run_steps.list_retrying',
  `SELECT r.id AS run_id, s.path, s.attempts, coalesce(s.error ->> 'message', '') AS message, v.definition
   FROM unnest($2::uuid[]) AS g (id)
   JOIN workflow_runs r ON r.org_id = $1 AND r.id = g.id
   CROSS JOIN LATERAL (
     SELECT path, attempts, error FROM workflow_run_steps s
     WHERE s.org_id = $1 AND s.run_id = r.id AND ${isStepRetrying} ORDER BY wake_at LIMIT 1
   ) s
   JOIN workflow_versions v ON v.org_id = $1 AND v.workflow_id = r.workflow_id AND v.version = r.version`,
);

/** Adds to each run the attempt that it waits for; null if it waits for none. */
export async function withRetries<Shown extends Run>(
  db: Db,
  orgId: string,
  runs: readonly Shown[],
): Promise<(Shown & { retry: Retry | null })[]> {
  const waiting = runs.filter(({ status }) => status === 'waiting').map(({ id }) => id);
  const rows = waiting.length > 0 ? await db.query(listRetrying, [orgId, waiting]) : [];
  const retries = new Map(rows.map((row) => [row.run_id, retryOf(row)]));
  return runs.map((run) => ({ ...run, retry: retries.get(run.id) ?? null }));
}

function retryOf({ path, attempts, message, definition }: RetryRow): Retry {
  const step = outlineSteps(definition).find((one) => one.path === stepPlace(path));
  // The step is missing if this release cannot read the definition.
  return { step: path, attempt: attempts + 1, max_attempts: step?.maxAttempts ?? attempts + 1, message };
}
