import { type Db, findValueWith, statement } from '@relata/db';

/** A run for which a worker holds a lease. */
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
  /** Inputs of the run; null if they have more than 65,536 bytes as JSON. `loadInputs` then loads them. */
  inputs: Record<string, unknown> | null;
  epoch: number;
  /** Number of claims since the run last made progress that followed an expired lease, including this one. */
  stalls: number;
  created_at: string;
  /** Time of the claim by the database's clock, which all timers use. */
  claimed_at: string;
  /** `traceparent` of the trace that its executions continue; null if a replay without a trace started the run. */
  traceparent: string | null;
  /** True if no worker has claimed the run before, so that it has no journal. */
  is_first: boolean;
}

export interface Claimant {
  /** Name shown to operators. */
  worker: string;
  leaseMs: number;
  limit: number;
}

/**
 * Seconds for which sweeps leave a queued run to the workers that were notified of it. After that, the sweep of any
 * worker may claim it. `due_at` is the time from which the sweep claims a run: the end of this period for a queued run,
 * the end of its lease for a running one, and the time of its timer or next attempt for a waiting one (see migration
 * 005).
 */
export const claimGraceSeconds = 5;

/**
 * Claims the runs of the CTE `chosen`. $1 is the worker, $2 its lease in milliseconds. LATERAL makes the planner look up
 * the trigger by primary key, even if its statistics are those of an empty table. BETWEEN makes it look up the run by
 * primary key, because it then expects a single row. A chosen run that is still `running` lost its worker: every
 * `chosen` requires that its lease has expired.
 */
export const claimChosen = `
  UPDATE workflow_runs r SET
    status = 'running', epoch = r.epoch + 1, worker = $1, due_at = now() + make_interval(secs => $2::float8 / 1000),
    stalls = CASE WHEN r.status = 'running' THEN r.stalls + 1 ELSE r.stalls END,
    started_at = coalesce(r.started_at, now())
  FROM chosen CROSS JOIN LATERAL (
    SELECT t.name FROM webhook_triggers t WHERE t.org_id = chosen.org_id AND t.id = chosen.trigger_id LIMIT 1
  ) t
  WHERE chosen.epoch BETWEEN 0 AND 2147483646 AND r.org_id = chosen.org_id AND r.id = chosen.id
  RETURNING r.org_id, r.id, r.workflow_id, r.version, r.is_limited, r.delivery_id, r.trigger_id, t.name AS trigger,
    r.replay, CASE WHEN octet_length(r.inputs::text) <= 65536 THEN r.inputs END AS inputs, r.epoch, r.stalls, r.created_at, r.traceparent, now() AS claimed_at, chosen.epoch = 0 AS is_first`;

/** Loads the inputs of a run as JSON; undefined if the run was deleted. */
export const loadInputs = findValueWith<string, [orgId: string, id: string]>(
  'workflow_runs.inputs',
  'SELECT inputs::text AS value FROM workflow_runs WHERE org_id = $1 AND id = $2',
);

/** Columns that the CTE `chosen` must have. */
export const chosenColumns = 'r.org_id, r.id, r.trigger_id, r.epoch';

/** Condition of the partial indexes on runs that have not ended. */
export const isOpen = `r.status IN ('queued', 'running', 'waiting')`;

/**
 * Condition of runs that may be claimed without naming them. Its first part keeps an index lookup from reading runs
 * that are due much later. A queued run may be claimed within the grace period; one that has stalled must be due.
 */
export const isClaimable = `r.due_at <= now() + interval '${claimGraceSeconds} seconds'
  AND ((r.status = 'queued' AND r.stalls = 0) OR r.due_at <= now())`;

/** Uses LATERAL for the reason given at `claimChosen`. */
const claimNamed = statement<ClaimedRun>(
  'workflow_runs.claim_named',
  `WITH chosen AS MATERIALIZED (
     SELECT r.* FROM unnest($4::uuid[], $5::uuid[]) AS g (org_id, id)
     CROSS JOIN LATERAL (
       SELECT ${chosenColumns} FROM workflow_runs r
       WHERE r.org_id = g.org_id AND r.id = g.id AND NOT r.is_limited
         AND (r.status = 'queued' OR (r.status IN ('running', 'waiting') AND r.due_at <= now()))
       FOR UPDATE SKIP LOCKED
     ) r LIMIT $3
   ) ${claimChosen}`,
);

/** Claims the given runs if they are queued or due. Skips those that another worker is claiming. */
export function claimRuns(
  db: Db,
  runs: readonly (readonly [orgId: string, id: string, ...unknown[]])[],
  { worker, leaseMs, limit }: Claimant,
): Promise<ClaimedRun[]> {
  const values = [worker, leaseMs, limit, runs.map(([orgId]) => orgId), runs.map(([, id]) => id)];
  return db.query(claimNamed, values);
}

const claimOf = statement<ClaimedRun>(
  'workflow_runs.claim_of_organization',
  `WITH chosen AS MATERIALIZED (
     SELECT ${chosenColumns} FROM workflow_runs r
     WHERE r.org_id = $4 AND ${isOpen} AND NOT r.is_limited AND ${isClaimable}
     ORDER BY r.due_at LIMIT $3 FOR UPDATE SKIP LOCKED
   ) ${claimChosen}`,
);

/** Claims runs of one organization, oldest first, including runs for which a NATS message may still be in flight. */
export function claimOrganizationRuns(
  db: Db,
  orgId: string,
  { worker, leaseMs, limit }: Claimant,
): Promise<ClaimedRun[]> {
  return db.query(claimOf, [worker, leaseMs, limit, orgId]);
}

/** Maximum numbers of runs to claim, by organization, so that none gets more than its share. */
export interface ClaimLimits {
  /** Limits by organization. */
  of: ReadonlyMap<string, number>;
  /** Limit of each other organization. */
  ofOthers: number;
}

/** Returns a recursive CTE of the organizations with runs that meet the condition, each found by one index lookup. */
export function organizationsQuery(isMeant: string): string {
  return `organization AS (
     (SELECT r.org_id FROM workflow_runs r WHERE ${isMeant} ORDER BY r.org_id, r.due_at LIMIT 1)
     UNION ALL
     SELECT n.org_id FROM organization o CROSS JOIN LATERAL (
       SELECT r.org_id FROM workflow_runs r WHERE ${isMeant} AND r.org_id > o.org_id ORDER BY r.org_id, r.due_at LIMIT 1
     ) n
   )`;
}

/**
 * Finds each organization by an index lookup. Limits the runs per organization, so that many runs of one organization
 * do not delay the runs of others. The order of organizations is random, so that no organization is always last.
 */
const claimOverdue = statement<ClaimedRun>(
  'workflow_runs.claim_overdue',
  `WITH RECURSIVE ${organizationsQuery(`${isOpen} AND NOT r.is_limited`)}, chosen AS MATERIALIZED (
     SELECT r.* FROM (SELECT org_id FROM organization ORDER BY random()) o
     CROSS JOIN LATERAL (
       SELECT ${chosenColumns} FROM workflow_runs r
       WHERE r.org_id = o.org_id AND ${isOpen} AND NOT r.is_limited AND r.due_at <= now()
       ORDER BY r.due_at
       LIMIT coalesce((SELECT g.room FROM unnest($5::uuid[], $6::integer[]) AS g (org_id, room) WHERE g.org_id = o.org_id), $4)
       FOR UPDATE SKIP LOCKED
     ) r LIMIT $3
   ) ${claimChosen}`,
);

/** Claims overdue runs: due timers and retries, runs with an expired lease, and runs that no worker was notified of. */
export function claimOverdueRuns(
  db: Db,
  { of, ofOthers }: ClaimLimits,
  { worker, leaseMs, limit }: Claimant,
): Promise<ClaimedRun[]> {
  return db.query(claimOverdue, [worker, leaseMs, limit, ofOthers, [...of.keys()], [...of.values()]]);
}
