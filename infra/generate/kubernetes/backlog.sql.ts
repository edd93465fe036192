import { isOpen } from '@relata/workflows/execution';

/** More than this many runs make no difference. */
const counted = 50_000;

/**
 * Counts the runs that a worker could begin or continue now, of all organizations, for an autoscaler that asks every
 * few seconds. Runs of workflows with a limit are left out, because they wait for each other instead of a worker.
 * Running ones are left out unless their lease has expired, because they have a worker.
 */
export const countDueRuns =
  `SELECT count(*) FROM (SELECT FROM workflow_runs r WHERE ${isOpen} AND NOT r.is_limited ` +
  `AND (r.status = 'queued' OR r.due_at <= now()) LIMIT ${counted}) due`;
