import { type Db, statement } from '@relata/db';
import { organizationsQuery } from './claim.sql.ts';
import { isBegunOfLimited, runningCountQuery, limitedWorkflowsQuery } from './limited-claim.sql.ts';

/** A started run that should continue: its worker was lost, or its timer is due. */
export interface DueRun {
  org_id: string;
  id: string;
  /** Id of the workflow if it limits concurrent runs, because such runs are claimed by workflow; null otherwise. */
  workflow_id: string | null;
}

/** Maximum number of runs that each statement lists per organization. Others are listed once these are claimed. */
const dueNamed = 8;

/** Condition on `workflow_runs r`, the same as that of the index of started runs. */
export const isBegun = `r.status IN ('running', 'waiting') AND NOT r.is_limited`;

const listDue = statement<DueRun>(
  'workflow_runs.list_due',
  `WITH RECURSIVE ${organizationsQuery(isBegun)}
   SELECT r.org_id, r.id, NULL AS workflow_id FROM organization o CROSS JOIN LATERAL (
     SELECT r.org_id, r.id FROM workflow_runs r
     WHERE r.org_id = o.org_id AND ${isBegun} AND r.due_at <= now() ORDER BY r.due_at LIMIT ${dueNamed}
   ) r`,
);

/** Lists at most as many runs of a workflow as its limit of concurrent runs permits now. */
const listDueOfLimited = statement<DueRun>(
  'workflow_runs.list_due_of_limited',
  `WITH RECURSIVE ${limitedWorkflowsQuery(isBegunOfLimited)}, due AS (
     SELECT r.*, row_number() OVER (PARTITION BY r.org_id ORDER BY r.due_at) AS place
     FROM workflow w CROSS JOIN LATERAL (
       SELECT l.max_running FROM workflows l WHERE l.org_id = w.org_id AND l.id = w.workflow_id LIMIT 1
     ) l CROSS JOIN LATERAL (${runningCountQuery('w.org_id', 'w.workflow_id')}) running CROSS JOIN LATERAL (
       SELECT r.org_id, r.id, r.workflow_id, r.due_at FROM workflow_runs r
       WHERE r.org_id = w.org_id AND r.workflow_id = w.workflow_id AND ${isBegunOfLimited} AND r.due_at <= now()
       ORDER BY r.due_at LIMIT least(${dueNamed}, greatest(coalesce(l.max_running - running.n, ${dueNamed}), 0))
     ) r
   )
   SELECT org_id, id, workflow_id FROM due WHERE place <= ${dueNamed}`,
);

/**
 * Lists started runs that should continue. For each organization, lists at most eight runs of workflows without a
 * limit, and at most eight of workflows with a limit.
 */
export async function listDueRuns(db: Db): Promise<DueRun[]> {
  return (await Promise.all([db.query(listDue, []), db.query(listDueOfLimited, [])])).flat();
}
