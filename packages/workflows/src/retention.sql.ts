import { type Db, statement } from '@relata/db';

/**
 * Ids carry the time at which they were made, so their order is that of the rows; nothing else must be searched. What an
 * operator has in hand at this moment, to retry or to replay it, is passed over.
 */
const oldRuns = `SELECT r.id FROM workflow_runs r
  WHERE r.org_id = $1 AND r.id < $2 AND r.status IN ('succeeded', 'failed', 'cancelled') AND r.id > $4
  ORDER BY r.id LIMIT $3 FOR UPDATE SKIP LOCKED`;

const dropRuns = statement<{ last: string | null; runs: number }>(
  'workflow_runs.drop_old',
  `WITH old AS MATERIALIZED (${oldRuns}), steps AS (
     DELETE FROM workflow_run_steps s USING old WHERE s.org_id = $1 AND s.run_id = old.id
   ), runs AS (
     DELETE FROM workflow_runs r USING old WHERE r.org_id = $1 AND r.id = old.id
   ) SELECT max(id::text)::uuid AS last, count(*)::integer AS runs FROM old`,
);

/** Those of which a run still goes on are kept with it. */
const dropDeliveries = statement<{ last: string | null; deliveries: number }>(
  'webhook_deliveries.drop_old',
  `WITH old AS MATERIALIZED (
     SELECT d.id FROM webhook_deliveries d WHERE d.org_id = $1 AND d.id < $2 AND d.id > $4
       AND NOT EXISTS (SELECT FROM workflow_runs r WHERE r.org_id = d.org_id AND r.delivery_id = d.id)
     ORDER BY d.id LIMIT $3 FOR UPDATE OF d SKIP LOCKED
   ), keys AS (
     DELETE FROM webhook_delivery_keys k USING old WHERE k.org_id = $1 AND k.delivery_id = old.id
   ), deliveries AS (
     DELETE FROM webhook_deliveries d USING old WHERE d.org_id = $1 AND d.id = old.id
   ) SELECT max(id::text)::uuid AS last, count(*)::integer AS deliveries FROM old`,
);

const listOrganizations = statement<{ id: string }>('retention.organizations', 'SELECT id FROM organizations');

/** Rows of one statement: it is over in milliseconds, and whoever works beside it does not notice. */
const batchRows = 1_000;

/** Before every id that the service makes. */
const firstId = '00000000-0000-0000-0000-000000000000';

export interface Dropped {
  runs: number;
  deliveries: number;
}

/**
 * Drops deliveries, runs and journals that were made before `before`, in small statements. A run that has not ended
 * stays, with its delivery. Two that do it at the same time do no harm.
 */
export async function dropOld(db: Db, before: Date, signal?: AbortSignal): Promise<Dropped> {
  const dropped = { runs: 0, deliveries: 0 };
  const limit = idAt(before);
  for (const { id: orgId } of await db.query(listOrganizations, [])) {
    for (let last = firstId; ;) {
      signal?.throwIfAborted();
      const [row] = await db.query(dropRuns, [orgId, limit, batchRows, last]);
      dropped.runs += row!.runs;
      if (row!.last === null) break;
      last = row!.last;
    }
    for (let last = firstId; ;) {
      signal?.throwIfAborted();
      const [row] = await db.query(dropDeliveries, [orgId, limit, batchRows, last]);
      dropped.deliveries += row!.deliveries;
      if (row!.last === null) break;
      last = row!.last;
    }
  }
  return dropped;
}

/** The first id of UUID version 7 that could be made at an instant. */
function idAt(instant: Date): string {
  const hex = instant.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
