import { isOpen } from '@relata/workflows/execution';

/** Beyond this many it makes no difference how many more there are. */
const counted = 50_000;

/**
 * The runs that a worker could begin or go on with now, of all organizations, for an autoscaler that asks every few
 * seconds. Runs of workflows with a limit are left out, because they wait for each other instead of a worker. Not those
 * that run, which have their worker.
 */
export const countDueRuns =
  `SELECT count(*) FROM (SELECT FROM workflow_runs r WHERE ${isOpen} AND NOT r.is_limited ` +
  `AND (r.status = 'queued' OR r.due_at <= now()) LIMIT ${counted}) due`;
