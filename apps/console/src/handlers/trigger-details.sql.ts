import { type Db, statement } from '@relata/db';
import { deliveriesOfTrigger } from '@relata/workflows/deliveries';

/** Fields of a trigger that come from other tables. */
export interface TriggerDetails {
  id: string;
  key: { id: string; name: string; last_four: string } | null;
  last_delivery_at: string | null;
}

const list = statement<TriggerDetails>(
  'console.triggers',
  `SELECT t.id,
     CASE WHEN k.id IS NOT NULL THEN json_build_object('id', k.id, 'name', k.name, 'last_four', k.last_four) END AS key,
     (SELECT d.received_at FROM webhook_deliveries d
      WHERE ${deliveriesOfTrigger('d', { orgId: 't.org_id', triggerId: 't.id' })} ORDER BY d.id DESC LIMIT 1) AS last_delivery_at
   FROM webhook_triggers t LEFT JOIN api_keys k ON k.org_id = t.org_id AND k.id = t.key_id
   WHERE t.org_id = $1 AND ($2::uuid IS NULL OR t.id = $2)`,
);

/**
 * Returns the fields of `TriggerDetails` by trigger id, for all triggers of an organization or for the trigger `id`.
 */
export async function listTriggerDetails(db: Db, orgId: string, id?: string): Promise<Map<string, TriggerDetails>> {
  const rows = await db.query(list, [orgId, id ?? null]);
  return new Map(rows.map((row) => [row.id, row]));
}
