import { readWith } from '@relata/db';
import { organizationsQuery } from './claim.sql.ts';
import { isBegun } from './due-runs.sql.ts';

/** Seconds since the oldest run became due, by the database's clock; 0 if none is due. */
export interface RunAges {
  /** Age of runs that wait for a worker. */
  queued: number;
  /** Age of runs whose worker was lost or whose timer has ended. */
  begun: number;
}

/**
 * Returns for how long the oldest runs of all organizations have been due. Measures from the time when a run became
 * due, because a retried run may have been created long ago. Runs of workflows with a limit wait for each other by
 * design and are left out. Queued runs are found at the beginning of an index. Started runs are found per organization,
 * because in the index of all runs they come after all queued runs.
 */
export const readRunAges = readWith<RunAges>(
  'workflow_runs.ages',
  `WITH RECURSIVE ${organizationsQuery(isBegun)}
   SELECT coalesce(greatest(0, extract(epoch FROM now() - (
       SELECT due_at FROM workflow_runs WHERE status = 'queued' AND NOT is_limited ORDER BY due_at LIMIT 1
     ))), 0)::float8 AS queued,
     coalesce(greatest(0, extract(epoch FROM now() - (
       SELECT min(b.due_at) FROM organization o CROSS JOIN LATERAL (
         SELECT r.due_at FROM workflow_runs r WHERE r.org_id = o.org_id AND ${isBegun} ORDER BY r.due_at LIMIT 1
       ) b
     ))), 0)::float8 AS begun`,
);
