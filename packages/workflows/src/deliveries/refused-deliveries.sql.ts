import { type Db, statement } from '@relata/db';
import { idRange, scannedMax } from '../list-window.ts';

interface RefusedCause {
  triggerId: string;
  workflowId: string;
  input: string;
  code: string;
}

const list = statement<{ id: string }>(
  'webhook_deliveries.list_refused',
  `SELECT d.id FROM (
     SELECT id, trigger_id, skipped FROM webhook_deliveries
     WHERE org_id = $1 AND has_refused AND id < $3 ORDER BY id DESC LIMIT ${scannedMax}
   ) d
   WHERE d.trigger_id = $4 AND EXISTS (
     SELECT FROM json_array_elements(d.skipped) AS s (each)
       CROSS JOIN LATERAL json_array_elements(s.each -> 'problems') AS p (each)
     WHERE s.each ->> 'reason' = 'refused' AND s.each ->> 'workflow_id' = $5::uuid::text
       AND p.each ->> 'input' = $6 AND p.each ->> 'code' = $7
   )
   ORDER BY d.id DESC LIMIT $2`,
);

/** Lists the deliveries that a workflow refused for this reason, newest first. Examines at most 10,000 deliveries. */
export async function listRefusedDeliveries(
  db: Db,
  orgId: string,
  { triggerId, workflowId, input, code }: RefusedCause,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<string[]> {
  const { high } = idRange({ before });
  const rows = await db.query(list, [orgId, limit, high, triggerId, workflowId, input, code]);
  return rows.map(({ id }) => id);
}

const refusing = statement<{ id: string; workflows: string[] }>(
  'webhook_deliveries.refusing_workflows',
  `SELECT d.id, array_agg(w.name ORDER BY w.name) AS workflows
   FROM webhook_deliveries d CROSS JOIN LATERAL json_array_elements(d.skipped) AS s (each)
     JOIN workflows w ON w.org_id = d.org_id AND w.id = (s.each ->> 'workflow_id')::uuid
   WHERE d.org_id = $1 AND d.id = ANY ($2::uuid[]) AND d.has_refused AND s.each -> 'problems' IS NOT NULL
   GROUP BY d.id`,
);

/**
 * Reads the names of the workflows that refused these deliveries. Omits workflows that a replay has started since, or
 * that a replay did not start because of their filter or because they are no longer assigned.
 */
export async function readRefusingWorkflows(
  db: Db,
  orgId: string,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = ids.length === 0 ? [] : await db.query(refusing, [orgId, ids]);
  return new Map(rows.map(({ id, workflows }) => [id, workflows]));
}
