import { type Db, statement } from '@relata/db';
import { organizationsOf } from './claim.sql.ts';
import { isBegunOfLimited, runningOf, workflowsOf } from './limited-claim.sql.ts';

/** A run that was begun and should go on: its worker was lost, or its time has come. */
export interface DueRun {
  org_id: string;
  id: string;
  /** Its workflow where that limits how many of its runs go on at once, and so has them claimed through it; else null. */
  workflow_id: string | null;
}

/** Of each organization; the others are named when these are claimed. */
const dueNamed = 8;

/** Of `workflow_runs r`: as the index of begun runs has it. */
export const isBegun = `r.status IN ('running', 'waiting') AND NOT r.is_limited`;

const listDue = statement<DueRun>(
  'workflow_runs.list_due',
  `WITH RECURSIVE ${organizationsOf(isBegun)}
   SELECT r.org_id, r.id, NULL AS workflow_id FROM organization o CROSS JOIN LATERAL (
     SELECT r.org_id, r.id FROM workflow_runs r
     WHERE r.org_id = o.org_id AND ${isBegun} AND r.due_at <= now() ORDER BY r.due_at LIMIT ${dueNamed}
   ) r`,
);

/** No more of a workflow than it lets go on now. */
const listDueOfLimited = statement<DueRun>(
  'workflow_runs.list_due_of_limited',
  `WITH RECURSIVE ${workflowsOf(isBegunOfLimited)}, due AS (
     SELECT r.*, row_number() OVER (PARTITION BY r.org_id ORDER BY r.due_at) AS place
     FROM workflow w CROSS JOIN LATERAL (
       SELECT l.max_running FROM workflows l WHERE l.org_id = w.org_id AND l.id = w.workflow_id LIMIT 1
     ) l CROSS JOIN LATERAL (${runningOf('w.org_id', 'w.workflow_id')}) running CROSS JOIN LATERAL (
       SELECT r.org_id, r.id, r.workflow_id, r.due_at FROM workflow_runs r
       WHERE r.org_id = w.org_id AND r.workflow_id = w.workflow_id AND ${isBegunOfLimited} AND r.due_at <= now()
       ORDER BY r.due_at LIMIT least(${dueNamed}, greatest(coalesce(l.max_running - running.n, ${dueNamed}), 0))
     ) r
   )
   SELECT org_id, id, workflow_id FROM due WHERE place <= ${dueNamed}`,
);

/** Runs that were begun and should go on, a few of each organization: at most eight, and eight of workflows with a limit. */
export async function listDueRuns(db: Db): Promise<DueRun[]> {
  return (await Promise.all([db.query(listDue, []), db.query(listDueOfLimited, [])])).flat();
}
