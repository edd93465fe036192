import { type Db, statement } from '@relata/db';
import { type Claimant, claimDue, type ClaimedRun, claimGraceSeconds, isOpen, wanted } from './claim.sql.ts';

/** The first keeps a look-up from reading what is due much later; a queued run is due within the grace. What stalled waits until it is due. */
const isClaimable = `r.due_at <= now() + interval '${claimGraceSeconds} seconds'
  AND ((r.status = 'queued' AND r.stalls = 0) OR r.due_at <= now())`;

export interface LimitedWorkflow {
  org_id: string;
  workflow_id: string;
}

/** Runs of workflows with a limit that a worker has or had, and that have not ended. */
export const isBegunOfLimited = `r.status IN ('running', 'waiting') AND r.is_limited`;

/** Workflows that have such runs, each found by a look-up. */
export function workflowsOf(isMeant: string): string {
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

/** How many runs of a workflow workers have; the arguments are SQL. */
export function runningOf(orgId: string, workflowId: string): string {
  return `SELECT count(*) AS n FROM workflow_runs
     WHERE org_id = ${orgId} AND workflow_id = ${workflowId} AND is_limited AND status = 'running' AND due_at > now()`;
}

const limitedWorkflows = statement<LimitedWorkflow>(
  'workflow_runs.limited_workflows',
  `WITH RECURSIVE ${workflowsOf(`${isOpen} AND r.is_limited`)}
   SELECT w.org_id, w.workflow_id FROM workflow w
   WHERE EXISTS (
     SELECT FROM workflow_runs r
     WHERE r.org_id = w.org_id AND r.workflow_id = w.workflow_id AND ${isOpen} AND r.is_limited AND ${isClaimable}
   )
   ORDER BY random()`,
);

/** Workflows with a limit of their own that have runs to claim, in no order, so that none is always the last. */
export function listLimitedWorkflows(db: Db): Promise<LimitedWorkflow[]> {
  return db.query(limitedWorkflows, []);
}

/** More than there are workers for. */
const withoutLimit = 1_000_000;

/** Claims of one workflow are made one at a time, so that what is counted holds. */
const lockWorkflow = statement<{ max_running: number | null }>(
  'workflows.lock_for_claim',
  'SELECT max_running FROM workflows WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE SKIP LOCKED',
);

const isOfWorkflow = 'r.org_id = $4 AND r.workflow_id = $5 AND r.is_limited';

/** A run that is named need not wait out its grace; a lease that holds is never broken. */
const isUnheld = `${isOpen} AND (r.status = 'queued' OR r.due_at <= now())`;

/** Those that are named go first, then those that were begun, then the oldest. */
const claimLimited = statement<ClaimedRun>(
  'workflow_runs.claim_limited',
  `WITH running AS (${runningOf('$4', '$5')}), found AS (
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
   ), due AS MATERIALIZED (
     SELECT r.* FROM (SELECT id FROM found GROUP BY id ORDER BY min(turn), min(due_at)) f CROSS JOIN LATERAL (
       SELECT ${wanted} FROM workflow_runs r WHERE r.org_id = $4 AND r.id = f.id AND ${isUnheld} FOR UPDATE SKIP LOCKED
     ) r LIMIT least($3, (SELECT greatest($6::bigint - n, 0) FROM running))
   ) ${claimDue}`,
);

/** Claims runs of a workflow with a limit, never more than may run at once; `named` go first. Call it in a transaction. */
export async function claimLimitedRuns(
  db: Db,
  { org_id: orgId, workflow_id: workflowId }: LimitedWorkflow,
  { worker, leaseMs, limit }: Claimant,
  named: readonly string[] = [],
): Promise<ClaimedRun[]> {
  const [locked] = await db.query(lockWorkflow, [orgId, workflowId]);
  // Another worker is claiming its runs; a limit that was removed leaves runs that still carry its mark.
  if (!locked) return [];
  const most = locked.max_running ?? withoutLimit;
  return db.query(claimLimited, [worker, leaseMs, limit, orgId, workflowId, most, named]);
}
