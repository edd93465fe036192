import { isOpen } from '@relata/workflows/execution';

/** Maximum of the count. A larger number would not change the number of workers. */
const counted = 50_000;

/**
 * Counts the runs of all organizations that a worker could begin or continue now. An autoscaler queries this number
 * every 15 seconds. Runs of workflows with a limit are left out, because they wait for each other, not for a worker.
 * Runs with a valid lease are left out, because they already have a worker.
 */
export const countDueRuns =
  `SELECT count(*) FROM (SELECT FROM workflow_runs r WHERE ${isOpen} AND NOT r.is_limited ` +
  `AND (r.status = 'queued' OR r.due_at <= now()) LIMIT ${counted}) due`;
