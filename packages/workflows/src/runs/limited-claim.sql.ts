import { type Db, listWith, statement } from '@relata/db';
import { type Claimant, claimChosen, type ClaimedRun, chosenColumns, isClaimable, isOpen } from './claim.sql.ts';

export interface LimitedWorkflow {
  org_id: string;
  workflow_id: string;
}

export const isBegunOfLimited = `r.status IN ('running', 'waiting') AND r.is_limited`;

/** Returns a recursive CTE of the workflows with runs that meet the condition, each found by one index lookup. */
export function limitedWorkflowsQuery(isMeant: string): string {
  return `workflow AS (
     (SELECT r.org_id, r.workflow_id FROM workflow_runs r WHERE ${isMeant}
      ORDER BY r.org_id, r.workflow_id, r.due_at LIMIT 1)
     UNION ALL
     SELECT n.org_id, n.workflow_id FROM workflow w CROSS JOIN LATERAL (
       SELECT r.org_id, r.workflow_id FROM workflow_runs r
       WHERE ${isMeant} AND (r.org_id, r.workflow_id) > (w.org_id, w.workflow_id)
       ORDER BY r.org_id, r.workflow_id, r.due_at LIMIT 1
     ) n
   )`;
}

/** Returns SQL that counts the runs of a workflow with a valid lease. The arguments are SQL. */
export function runningCountQuery(orgId: string, workflowId: string): string {
  return `SELECT count(*) AS n FROM workflow_runs
     WHERE org_id = ${orgId} AND workflow_id = ${workflowId} AND is_limited AND status = 'running' AND due_at > now()`;
}

/** Lists workflows with a limit and claimable runs, in random order, so that no workflow is always last. */
export const listLimitedWorkflows = listWith<LimitedWorkflow>(
  'workflow_runs.limited_workflows',
  `WITH RECURSIVE ${limitedWorkflowsQuery(`${isOpen} AND r.is_limited`)}
   SELECT w.org_id, w.workflow_id FROM workflow w
   WHERE EXISTS (
     SELECT FROM workflow_runs r
     WHERE r.org_id = w.org_id AND r.workflow_id = w.workflow_id AND ${isOpen} AND r.is_limited AND ${isClaimable}
   )
   ORDER BY random()`,
);

/** Value that stands for no limit: more runs than all workers can hold. */
const withoutLimit = 1_000_000;

/** Locks a workflow, so that one worker at a time claims its runs, and the count of running runs stays correct. */
const lockWorkflow = statement<{ max_running: number | null }>(
  'workflows.lock_for_claim',
  'SELECT max_running FROM workflows WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE SKIP LOCKED',
);

const isOfWorkflow = 'r.org_id = $4 AND r.workflow_id = $5 AND r.is_limited';

/** Condition of runs that can be claimed by id: queued runs even within the grace period, others once they are due. */
const isUnheld = `${isOpen} AND (r.status = 'queued' OR r.due_at <= now())`;

/** Claims the runs that were requested by id first, then started runs, and then the oldest of the others. */
const claimLimited = statement<ClaimedRun>(
  'workflow_runs.claim_limited',
  `WITH running AS (${runningCountQuery('$4', '$5')}), found AS (
     SELECT r.id, 0 AS turn, r.due_at FROM unnest($7::uuid[]) AS g (id) CROSS JOIN LATERAL (
       SELECT r.id, r.due_at FROM workflow_runs r
       WHERE r.org_id = $4 AND r.id = g.id AND r.workflow_id = $5 AND r.is_limited AND ${isUnheld} LIMIT 1
     ) r
     UNION ALL
     (SELECT r.id, 1, r.due_at FROM workflow_runs r
      WHERE ${isOfWorkflow} AND ${isBegunOfLimited} AND r.due_at <= now() ORDER BY r.due_at LIMIT $3)
     UNION ALL
     (SELECT r.id, 2, r.due_at FROM workflow_runs r
      WHERE ${isOfWorkflow} AND ${isOpen} AND ${isClaimable} ORDER BY r.due_at LIMIT $3)
   ), chosen AS MATERIALIZED (
     SELECT r.* FROM (SELECT id FROM found GROUP BY id ORDER BY min(turn), min(due_at)) f CROSS JOIN LATERAL (
       SELECT ${chosenColumns} FROM workflow_runs r WHERE r.org_id = $4 AND r.id = f.id AND ${isUnheld} FOR UPDATE SKIP LOCKED
     ) r LIMIT least($3, (SELECT greatest($6::bigint - n, 0) FROM running))
   ) ${claimChosen}`,
);

/**
 * Claims runs of a workflow with a limit, never more than the limit permits. Runs whose ids are in `named` come first.
 * Call it in a transaction.
 */
export async function claimLimitedRuns(
  db: Db,
  { org_id: orgId, workflow_id: workflowId }: LimitedWorkflow,
  { worker, leaseMs, limit }: Claimant,
  named: readonly string[] = [],
): Promise<ClaimedRun[]> {
  const [locked] = await db.query(lockWorkflow, [orgId, workflowId]);
  // If there is no row, another worker is claiming runs of this workflow. If there is no limit, it was removed, but
  // older runs are still marked as limited.
  if (!locked) return [];
  const most = locked.max_running ?? withoutLimit;
  return db.query(claimLimited, [worker, leaseMs, limit, orgId, workflowId, most, named]);
}
