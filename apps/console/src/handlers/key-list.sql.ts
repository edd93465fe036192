import { type Db, firstRow, statement } from '@relata/db';
import type { Key } from '@relata/schemas/console';

/**
 * Lists keys. A trigger also accepts the successors of its key. The author of a key comes from the event of its
 * creation, as long as that event is stored.
 */
const list = statement<Key>(
  'console.keys',
  `WITH RECURSIVE opened AS (
     SELECT t.id, t.name, t.key_id FROM webhook_triggers t WHERE t.org_id = $1 AND t.key_id IS NOT NULL
     UNION ALL
     SELECT o.id, o.name, k.replaced_by FROM opened o JOIN api_keys k ON k.org_id = $1 AND k.id = o.key_id
     WHERE k.replaced_by IS NOT NULL
   )
   SELECT k.id, k.name, k.kind, k.prefix, k.last_four, k.scopes, k.origins, k.expires_at, k.revoked_at, k.last_used_at,
     k.created_at, k.replaced_by,
     coalesce((SELECT json_agg(json_build_object('id', o.id, 'name', o.name) ORDER BY o.name, o.id)
               FROM opened o WHERE o.key_id = k.id), '[]') AS triggers,
     (SELECT e.actor FROM events e
      WHERE e.org_id = k.org_id AND e.record_id = k.id AND e.type = 'api_key.created' ORDER BY e.seq LIMIT 1) AS made_by
   FROM api_keys k WHERE k.org_id = $1 AND ($2::uuid IS NULL OR k.id = $2) ORDER BY k.id DESC LIMIT 1000`,
);

/** Returns the keys of an organization, the newest first, at most a thousand. */
export function listShownKeys(db: Db, orgId: string): Promise<Key[]> {
  return db.query(list, [orgId, null]);
}

export function findShownKey(db: Db, orgId: string, id: string): Promise<Key | undefined> {
  return firstRow(db, list, [orgId, id]);
}
