import { type Db, firstRow, statement } from '@relata/db';
import { boundedPage, type ListPage, scannedMax, type ListWindow } from '../list-window.ts';

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
     WHERE org_id = $1 AND has_refused AND id >= $3 AND id < $4 ORDER BY id DESC LIMIT ${scannedMax}
   ) d
   WHERE d.trigger_id = $5 AND EXISTS (
     SELECT FROM json_array_elements(d.skipped) AS s (each)
       CROSS JOIN LATERAL json_array_elements(s.each -> 'problems') AS p (each)
     WHERE s.each ->> 'reason' = 'refused' AND s.each ->> 'workflow_id' = $6::uuid::text
       AND p.each ->> 'input' = $7 AND p.each ->> 'code' = $8
   )
   ORDER BY d.id DESC LIMIT $2`,
);

const floor = statement<{ id: string }>(
  'webhook_deliveries.floor_of_refused',
  `SELECT id FROM webhook_deliveries WHERE org_id = $1 AND has_refused AND id >= $2 AND id < $3
   ORDER BY id DESC LIMIT 1 OFFSET ${scannedMax - 1}`,
);

/**
 * Returns a page of the deliveries that a workflow refused for this reason, newest first. Examines at most 10,000
 * refused deliveries.
 */
export function searchRefusedDeliveries(
  db: Db,
  orgId: string,
  { triggerId, workflowId, input, code }: RefusedCause,
  window: ListWindow,
): Promise<ListPage<{ id: string }>> {
  return boundedPage(
    window,
    async ({ low, high }) => (await firstRow(db, floor, [orgId, low, high]))?.id,
    ({ low, high }, limit) => db.query(list, [orgId, limit, low, high, triggerId, workflowId, input, code]),
  );
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
 * Returns the names of the refusing workflows by delivery. Omits workflows that a replay has started since, and those
 * that a replay excluded because of their filter or because they are no longer assigned.
 */
export async function readRefusingWorkflows(
  db: Db,
  orgId: string,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = ids.length === 0 ? [] : await db.query(refusing, [orgId, ids]);
  return new Map(rows.map(({ id, workflows }) => [id, workflows]));
}
