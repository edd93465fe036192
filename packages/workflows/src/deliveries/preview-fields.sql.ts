import { type Db, statement } from '@relata/db';
import type { InputMapping } from '../triggers/assignment.sql.ts';
import { type PreviewField, previewFields } from './preview-fields.ts';

const headBytes = 4_096;

/** Reads only the beginning of a body, even if PostgreSQL stores it out of line. */
const heads = statement<{ id: string; trigger_id: string; head: Buffer; headers: Record<string, string> }>(
  'webhook_deliveries.heads',
  `SELECT id, trigger_id, substring(body FOR ${headBytes}) AS head, headers FROM webhook_deliveries
   WHERE org_id = $1 AND id = ANY ($2::uuid[])`,
);

const mappings = statement<{ trigger_id: string; inputs: InputMapping }>(
  'trigger_workflows.mappings',
  'SELECT trigger_id, inputs FROM trigger_workflows WHERE org_id = $1 AND trigger_id = ANY ($2::uuid[])',
);

/** Reads the two most informative fields of deliveries, by their ids, from the first 4 KB of each body. */
export async function readPreviewFields(
  db: Db,
  orgId: string,
  deliveries: readonly { id: string; trigger_id: string }[],
): Promise<Map<string, PreviewField[]>> {
  if (deliveries.length === 0) return new Map();
  const triggers = [...new Set(deliveries.map(({ trigger_id }) => trigger_id))];
  const [rows, mapped] = await Promise.all([
    db.query(heads, [orgId, deliveries.map(({ id }) => id)]),
    db.query(mappings, [orgId, triggers]),
  ]);
  const paths = new Map(triggers.map((id) => [id, new Set<string>()]));
  for (const { trigger_id, inputs } of mapped)
    for (const source of Object.values(inputs)) if (typeof source === 'string') paths.get(trigger_id)!.add(source);
  return new Map(
    rows.map(({ id, trigger_id, head, headers }) => {
      const shown = { body: head.toString('utf8'), headers };
      return [id, previewFields(shown, paths.get(trigger_id)!)];
    }),
  );
}
