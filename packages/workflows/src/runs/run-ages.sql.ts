import { type Db, statement } from '@relata/db';
import { organizationsOf } from './claim.sql.ts';
import { isBegun } from './due-runs.sql.ts';

/** Seconds that the oldest has been due, by the clock of the database; 0 where none is. */
export interface RunAges {
  /** Of runs that wait for a worker. */
  queued: number;
  /** Of runs whose worker was lost, or whose timer has ended. */
  begun: number;
}

/**
 * Due since, and not created: a run that is retried is as old as its delivery. Runs of workflows with a limit wait for each
 * other by design, and are left out. What is queued is found at the beginning of an index; what has begun from organization
 * to organization, since in that of all it stands behind everything that is queued.
 */
const ages = statement<RunAges>(
  'workflow_runs.ages',
  `WITH RECURSIVE ${organizationsOf(isBegun)}
   SELECT coalesce(greatest(0, extract(epoch FROM now() - (
       SELECT due_at FROM workflow_runs WHERE status = 'queued' AND NOT is_limited ORDER BY due_at LIMIT 1
     ))), 0)::float8 AS queued,
     coalesce(greatest(0, extract(epoch FROM now() - (
       SELECT min(b.due_at) FROM organization o CROSS JOIN LATERAL (
         SELECT r.due_at FROM workflow_runs r WHERE r.org_id = o.org_id AND ${isBegun} ORDER BY r.due_at LIMIT 1
       ) b
     ))), 0)::float8 AS begun`,
);

/** For how long the oldest runs of the whole service have been due. */
export async function readRunAges(db: Db): Promise<RunAges> {
  const [row] = await db.query(ages, []);
  return row!;
}
