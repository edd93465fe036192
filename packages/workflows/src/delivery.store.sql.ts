import { type Db, statement } from '@relata/db';

/** A run to be started by a delivery. */
export interface NewRun {
  id: string;
  workflowId: string;
  version: number;
  isLimited: boolean;
  inputs: Record<string, unknown>;
}

export interface NewDelivery {
  orgId: string;
  id: string;
  triggerId: string;
  /** SHA-256, in hexadecimal, of the key by which the sender tells repeats. */
  keyHash: string | undefined;
  body: Buffer;
  headers: Record<string, string>;
  /** Workflows that were not started, and why. */
  skipped: SkippedWorkflow[];
  runs: NewRun[];
}

export interface SkippedWorkflow {
  workflow_id: string;
  reason: 'filtered' | 'filter_failed';
  message?: string;
}

/** How long a run may wait for whoever heard of it before somebody looks for it in the database. */
const claimGraceSeconds = 5;

/**
 * Repeat keys, deliveries and runs, all or none. Keys are taken in one order, so that two batches that share some wait
 * for each other rather than for ever; a key that is taken already leaves its delivery out. So does an id that is there
 * already: what may have been stored can be stored again.
 */
const store = statement<{ id: string }>(
  'webhook_deliveries.store',
  `WITH given AS MATERIALIZED (
     SELECT * FROM json_to_recordset($1::json) AS g (
       org_id uuid, id uuid, trigger_id uuid, key_hash text, body_start integer, body_length integer, headers json,
       skipped json)
   ), taken AS (
     INSERT INTO webhook_delivery_keys (org_id, trigger_id, key_hash, delivery_id)
     SELECT org_id, trigger_id, decode(key_hash, 'hex'), id FROM given WHERE key_hash IS NOT NULL
     ORDER BY org_id, trigger_id, key_hash, id
     ON CONFLICT DO NOTHING RETURNING delivery_id
   ), stored AS (
     INSERT INTO webhook_deliveries (org_id, id, trigger_id, body, headers, skipped)
     SELECT org_id, id, trigger_id, substring($2::bytea FROM body_start FOR body_length), headers, skipped FROM given
     WHERE key_hash IS NULL OR id IN (SELECT delivery_id FROM taken)
     ON CONFLICT (org_id, id) DO NOTHING
     RETURNING id
   ), started AS (
     INSERT INTO workflow_runs
       (org_id, id, workflow_id, version, delivery_id, trigger_id, replay, inputs, is_limited, due_at)
     SELECT org_id, id, workflow_id, version, delivery_id, trigger_id, 0, inputs, is_limited,
            now() + interval '${claimGraceSeconds} seconds'
     FROM json_to_recordset($3::json) AS r (
       org_id uuid, id uuid, workflow_id uuid, version integer, delivery_id uuid, trigger_id uuid, inputs json,
       is_limited boolean)
     WHERE delivery_id IN (SELECT id FROM stored)
   )
   SELECT id FROM stored`,
);

/** Stores deliveries and their runs, of whatever triggers, in one statement. Returns the ids of those that were new. */
export async function storeDeliveries(db: Db, deliveries: readonly NewDelivery[]): Promise<Set<string>> {
  let start = 1;
  const rows = deliveries.map((delivery) => {
    const row = deliveryRow(delivery, start);
    start += delivery.body.length;
    return row;
  });
  const bodies = deliveries.length === 1 ? deliveries[0]!.body : Buffer.concat(deliveries.map(({ body }) => body));
  const runs = deliveries.flatMap(runRows);
  const stored = await db.query(store, [JSON.stringify(rows), bodies, JSON.stringify(runs)]);
  return new Set(stored.map(({ id }) => id));
}

function deliveryRow({ orgId, id, triggerId, keyHash, body, headers, skipped }: NewDelivery, start: number) {
  return {
    org_id: orgId,
    id,
    trigger_id: triggerId,
    key_hash: keyHash,
    body_start: start,
    body_length: body.length,
    headers,
    skipped: skipped.length > 0 ? skipped : undefined,
  };
}

function runRows({ orgId, id, triggerId, runs }: NewDelivery) {
  return runs.map((run) => ({
    org_id: orgId,
    id: run.id,
    workflow_id: run.workflowId,
    version: run.version,
    delivery_id: id,
    trigger_id: triggerId,
    inputs: run.inputs,
    is_limited: run.isLimited,
  }));
}
