import { type Db, onlyRow, statement } from '@relata/db';
import type { Today } from '@relata/schemas/console';

/** Maximum count of unsent demo requests. */
const unsentMax = 1_000;

type OpenWork = Pick<Today, 'unsent_demo_requests' | 'has_demo_data' | 'steps'>;

/** Each subquery reads a bounded number of index entries. */
const find = statement<OpenWork>(
  'console.open_work',
  `SELECT (SELECT count(*)::integer FROM (
       SELECT FROM demo_requests WHERE org_id = $1 AND status <> 'sent' ORDER BY id LIMIT ${unsentMax}
     ) d) AS unsent_demo_requests,
     EXISTS (SELECT FROM demo_data WHERE org_id = $1) AS has_demo_data,
     json_build_object(
       'key', EXISTS (SELECT FROM api_keys WHERE org_id = $1),
       'trigger', EXISTS (SELECT FROM webhook_triggers WHERE org_id = $1),
       'delivery', EXISTS (SELECT id FROM webhook_deliveries WHERE org_id = $1 ORDER BY id DESC LIMIT 1),
       'workflow', EXISTS (SELECT FROM workflows WHERE org_id = $1),
       'mapping', EXISTS (SELECT FROM trigger_workflows WHERE org_id = $1),
       'colleague', (SELECT count(*) > 1 FROM (SELECT FROM memberships WHERE org_id = $1 LIMIT 2) m) OR EXISTS (
         SELECT FROM links WHERE org_id = $1 AND kind = 'invite' AND used_at IS NULL AND expires_at > now())
     ) AS steps`,
);

export const findOpenWork = (db: Db, orgId: string): Promise<OpenWork> => onlyRow(db, find, [orgId]);
