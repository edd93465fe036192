import { type Db, statement } from '@relata/db';

/** A run that a worker has for as long as its lease holds. */
export interface ClaimedRun {
  org_id: string;
  id: string;
  workflow_id: string;
  version: number;
  is_limited: boolean;
  delivery_id: string;
  trigger_id: string;
  trigger: string;
  replay: number;
  inputs: Record<string, unknown>;
  epoch: number;
  /** Claims in a row, this one among them, that follow a lease which ran out. */
  stalls: number;
  created_at: string;
  /** The database's time, which every timer is judged by. */
  claimed_at: string;
  /** Whether nobody had it before: there is no journal yet. */
  is_first: boolean;
}

export interface Claimant {
  /** Shown to operators. */
  worker: string;
  leaseMs: number;
  /** Most runs to be claimed. */
  limit: number;
}

const claimDue = `
  UPDATE workflow_runs r SET
    status = 'running', epoch = r.epoch + 1, worker = $1, due_at = now() + make_interval(secs => $2::float8 / 1000),
    stalls = CASE WHEN r.status = 'running' THEN r.stalls + 1 ELSE r.stalls END,
    started_at = coalesce(r.started_at, now())
  FROM due
  JOIN webhook_triggers t ON t.org_id = due.org_id AND t.id = due.trigger_id
  WHERE r.org_id = due.org_id AND r.id = due.id
  RETURNING r.org_id, r.id, r.workflow_id, r.version, r.is_limited, r.delivery_id, r.trigger_id, t.name AS trigger,
    r.replay, r.inputs, r.epoch, r.stalls, r.created_at, now() AS claimed_at, due.epoch = 0 AS is_first`;

const wanted = 'org_id, id, trigger_id, epoch';

/** LATERAL keeps each look-up on the primary key, whatever the planner knows of a table that was empty just now. */
const claimNamed = statement<ClaimedRun>(
  'workflow_runs.claim_named',
  `WITH due AS MATERIALIZED (
     SELECT r.* FROM unnest($4::uuid[], $5::uuid[]) AS g (org_id, id)
     CROSS JOIN LATERAL (
       SELECT ${wanted} FROM workflow_runs r
       WHERE r.org_id = g.org_id AND r.id = g.id AND NOT r.is_limited
         AND (r.status = 'queued' OR (r.status IN ('running', 'waiting') AND r.due_at <= now()))
       FOR UPDATE SKIP LOCKED
     ) r LIMIT $3
   ) ${claimDue}`,
);

/** Claims those of these runs that are to be claimed and that nobody else is claiming. */
export function claimRuns(
  db: Db,
  runs: readonly (readonly [orgId: string, id: string])[],
  { worker, leaseMs, limit }: Claimant,
): Promise<ClaimedRun[]> {
  const values = [worker, leaseMs, limit, runs.map(([orgId]) => orgId), runs.map(([, id]) => id)];
  return db.query(claimNamed, values);
}

const claimOverdue = statement<ClaimedRun>(
  'workflow_runs.claim_overdue',
  `WITH due AS MATERIALIZED (
     SELECT ${wanted} FROM workflow_runs
     WHERE status IN ('queued', 'running', 'waiting') AND NOT is_limited AND due_at <= now()
     ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED
   ) ${claimDue}`,
);

/** Claims what nobody came for: due timers and retries, leases that ran out, runs that nobody was told of. */
export function claimOverdueRuns(db: Db, { worker, leaseMs, limit }: Claimant): Promise<ClaimedRun[]> {
  return db.query(claimOverdue, [worker, leaseMs, limit]);
}

const limitedWorkflows = statement<{ org_id: string; workflow_id: string }>(
  'workflow_runs.limited_workflows',
  `SELECT DISTINCT org_id, workflow_id FROM workflow_runs
   WHERE status IN ('queued', 'running', 'waiting') AND is_limited AND (status = 'queued' OR due_at <= now())`,
);

/** Workflows with a limit of their own that have runs to claim. */
export function listLimitedWorkflows(db: Db): Promise<{ org_id: string; workflow_id: string }[]> {
  return db.query(limitedWorkflows, []);
}

/** Whoever claims of one workflow does so alone, so that what is counted holds. */
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
     SELECT ${wanted} FROM workflow_runs
     WHERE org_id = $4 AND workflow_id = $5 AND is_limited AND status IN ('queued', 'running', 'waiting')
       AND (status = 'queued' OR due_at <= now())
     ORDER BY id LIMIT least($3, (SELECT greatest($6::bigint - n, 0) FROM running)) FOR UPDATE SKIP LOCKED
   ) ${claimDue}`,
);

/** Claims runs of a workflow with a limit, never more than may run at once. Call it in a transaction. */
export async function claimLimitedRuns(
  db: Db,
  { org_id: orgId, workflow_id: workflowId }: { org_id: string; workflow_id: string },
  { worker, leaseMs, limit }: Claimant,
): Promise<ClaimedRun[]> {
  const [locked] = await db.query(lockWorkflow, [orgId, workflowId]);
  // Somebody else is claiming of it; a limit that was taken off leaves runs that still carry its mark.
  if (!locked) return [];
  return db.query(claimLimited, [worker, leaseMs, limit, orgId, workflowId, locked.max_running ?? 1_000_000]);
}
