import { type Db, statement } from '@relata/db';
import { type Claimant, claimDue, type ClaimedRun, claimGraceSeconds, isOpen, wanted } from './claim.sql.ts';

/** The first keeps a look-up from reading what is due much later; a queued run is due within the grace. What stalled waits until it is due. */
const isClaimable = `r.due_at <= now() + interval '${claimGraceSeconds} seconds'
  AND ((r.status = 'queued' AND r.stalls = 0) OR r.due_at <= now())`;

export interface LimitedWorkflow {
  org_id: string;
  workflow_id: string;
}

const limitedWorkflows = statement<LimitedWorkflow>(
  'workflow_runs.limited_workflows',
  `WITH RECURSIVE workflow AS (
     (SELECT r.org_id, r.workflow_id FROM workflow_runs r WHERE ${isOpen} AND r.is_limited
      ORDER BY r.org_id, r.workflow_id, r.due_at LIMIT 1)
     UNION ALL
     SELECT n.org_id, n.workflow_id FROM workflow w CROSS JOIN LATERAL (
       SELECT r.org_id, r.workflow_id FROM workflow_runs r
       WHERE ${isOpen} AND r.is_limited AND (r.org_id, r.workflow_id) > (w.org_id, w.workflow_id)
       ORDER BY r.org_id, r.workflow_id, r.due_at LIMIT 1
     ) n
   )
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

/** Claims of one workflow are made one at a time, so that what is counted holds. */
const lockWorkflow = statement<{ max_running: number | null }>(
  'workflows.lock_for_claim',
  'SELECT max_running FROM workflows WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE SKIP LOCKED',
);

const claimLimited = statement<ClaimedRun>(
  'workflow_runs.claim_limited',
  `WITH running AS (
     SELECT count(*) AS n FROM workflow_runs
     WHERE org_id = $4 AND workflow_id = $5 AND is_limited AND status = 'running' AND due_at > now()
   ), due AS MATERIALIZED (
     SELECT ${wanted} FROM workflow_runs r
     WHERE r.org_id = $4 AND r.workflow_id = $5 AND r.is_limited AND ${isOpen} AND ${isClaimable}
     ORDER BY r.due_at LIMIT least($3, (SELECT greatest($6::bigint - n, 0) FROM running)) FOR UPDATE SKIP LOCKED
   ) ${claimDue}`,
);

/** Claims runs of a workflow with a limit, never more than may run at once. Call it in a transaction. */
export async function claimLimitedRuns(
  db: Db,
  { org_id: orgId, workflow_id: workflowId }: LimitedWorkflow,
  { worker, leaseMs, limit }: Claimant,
): Promise<ClaimedRun[]> {
  const [locked] = await db.query(lockWorkflow, [orgId, workflowId]);
  // Another worker is claiming its runs; a limit that was removed leaves runs that still carry its mark.
  if (!locked) return [];
  return db.query(claimLimited, [worker, leaseMs, limit, orgId, workflowId, locked.max_running ?? 1_000_000]);
}
