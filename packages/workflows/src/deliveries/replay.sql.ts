import { type Db, listWith, statement } from '@relata/db';
import { tracing } from '@relata/telemetry';
import {
  isRefused,
  isUnstarted,
  type NewRun,
  type RefusedWorkflow,
  type SettledWorkflow,
} from './delivery-store.sql.ts';
import { type Delivery, type DeliveryDetail, findDelivery } from './delivery.sql.ts';

const countReplay = statement<{ replays: number }>(
  'webhook_deliveries.count_replay',
  'UPDATE webhook_deliveries SET replays = replays + 1 WHERE org_id = $1 AND id = $2 RETURNING replays',
);

const startReplay = statement<{ id: string }>(
  'workflow_runs.replay',
  `INSERT INTO workflow_runs (org_id, id, workflow_id, version, delivery_id, trigger_id, replay, inputs, is_limited, traceparent)
   SELECT $1, id, workflow_id, version, $2, $3, $4, inputs::json, is_limited, $6::text
   FROM json_to_recordset($5::json) AS r (id uuid, workflow_id uuid, version integer, inputs text, is_limited boolean)
   RETURNING id`,
);

/** Marks failed runs as replayed, so that they no longer count as part of a problem. */
const markReplayed = statement<never>(
  'workflow_runs.mark_replayed',
  `UPDATE workflow_runs SET is_replayed = true
   WHERE org_id = $1 AND delivery_id = $2 AND workflow_id = ANY ($3::uuid[]) AND replay < $4 AND status = 'failed'`,
);

/**
 * Starts new runs for a stored delivery; returns undefined if it was dropped meanwhile. Call it in a transaction:
 * counting the replay locks the delivery, so that retention does not drop it before its runs exist.
 */
export async function insertReplay(
  db: Db,
  delivery: Pick<Delivery, 'org_id' | 'id' | 'trigger_id'>,
  runs: readonly NewRun[],
): Promise<string[] | undefined> {
  const { org_id: orgId, id, trigger_id: triggerId } = delivery;
  const [counted] = await db.query(countReplay, [orgId, id]);
  if (!counted) return undefined;
  const rows = runs.map(({ workflowId, isLimited, ...run }) => ({
    ...run,
    workflow_id: workflowId,
    is_limited: isLimited,
  }));
  // The runs belong to the trace of the replay request. The trace of the delivery may have ended months ago.
  const traceparent = tracing?.active()?.traceparent;
  const values = [orgId, id, triggerId, counted.replays, JSON.stringify(rows), traceparent ?? null];
  const started = await db.query(startReplay, values);
  await db.query(markReplayed, [orgId, id, runs.map(({ workflowId }) => workflowId), counted.replays]);
  return started.map((row) => row.id);
}

const lock = statement<{ id: string }>(
  'webhook_deliveries.lock',
  'SELECT id FROM webhook_deliveries WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE',
);

/** Locks a delivery until the transaction ends, so that it is replayed by one request at a time, and returns it. */
export async function lockDelivery(db: Db, orgId: string, id: string): Promise<DeliveryDetail | undefined> {
  await db.query(lock, [orgId, id]);
  return findDelivery(db, orgId, id);
}

const settle = statement<never>(
  'webhook_deliveries.settle_refused',
  'UPDATE webhook_deliveries SET skipped = $3::json, has_refused = $4 WHERE org_id = $1 AND id = $2',
);

/**
 * Replaces the entries of refused workflows in a locked delivery with the results of a replay, including workflows that
 * an earlier replay excluded. The workflows stay listed, so that a repeated replay knows that they were started. Other
 * entries stay unchanged.
 */
export async function settleRefused(
  db: Db,
  { org_id: orgId, id, skipped }: DeliveryDetail,
  found: readonly (SettledWorkflow | RefusedWorkflow)[],
): Promise<void> {
  const earlier = skipped ?? [];
  const foundOf = new Map(found.map((each) => [each.workflow_id, each]));
  const now = earlier.map((each) => (isUnstarted(each) && foundOf.get(each.workflow_id)) || each);
  if (now.every((each, at) => each === earlier[at])) return;
  await db.query(settle, [orgId, id, JSON.stringify(now), now.some(isRefused)]);
}

/** Maximum number of earlier runs read per workflow: a delivery may have been replayed any number of times. */
const earlierRunsMax = 20;

/** Lists the paths of steps that succeeded in the last 20 runs of each of these workflows for a delivery. */
export const listDoneSteps = listWith<
  { workflow_id: string; workflow: string; paths: string[] },
  [orgId: string, deliveryId: string, workflowIds: readonly string[]]
>(
  'workflow_run_steps.list_done',
  `SELECT w.id AS workflow_id, w.name AS workflow, array_agg(DISTINCT s.path) AS paths
   FROM unnest($3::uuid[]) AS g (id)
   JOIN workflows w ON w.org_id = $1 AND w.id = g.id
   CROSS JOIN LATERAL (
     SELECT r.org_id, r.id FROM workflow_runs r
     WHERE r.org_id = $1 AND r.delivery_id = $2 AND r.workflow_id = w.id ORDER BY r.replay DESC LIMIT ${earlierRunsMax}
   ) r
   JOIN workflow_run_steps s ON s.org_id = r.org_id AND s.run_id = r.id AND s.status = 'succeeded'
   GROUP BY w.id, w.name ORDER BY w.name`,
);

const lockOfRun = statement<{ delivery_id: string }>(
  'webhook_deliveries.lock_of_run',
  `SELECT d.id AS delivery_id FROM workflow_runs r JOIN webhook_deliveries d ON d.org_id = $1 AND d.id = r.delivery_id
   WHERE r.org_id = $1 AND r.id = $2 FOR NO KEY UPDATE OF d`,
);

const lockFailed = statement<never>(
  'workflow_runs.lock_failed',
  `SELECT FROM workflow_runs WHERE org_id = $1 AND id = $2 AND status = 'failed' AND NOT is_replayed FOR UPDATE`,
);

/**
 * Locks the delivery of a failed run and then the run, in the same order as every replay. Returns false if the run was
 * retried or replayed meanwhile.
 */
export async function lockFailedRun(db: Db, orgId: string, id: string): Promise<boolean> {
  await db.query(lockOfRun, [orgId, id]);
  return (await db.query(lockFailed, [orgId, id])).length > 0;
}
