import { readWith } from '@relata/db';

interface EndingKeys {
  /**
   * Number of active triggers whose selected key and all successors have expired or are revoked. These triggers refuse
   * all deliveries.
   */
  selected: number;
  /** Number of keys that expired within the last week and were used in the 24 hours before they expired. */
  expired: number;
  /** Number of keys that were used within the last week and expire within the next week. */
  expiring: number;
}

/**
 * Counts the keys in use that have expired or expire soon. Follows each selected key to its successors, because senders
 * may use any of them.
 */
export const countEndingKeys = readWith<EndingKeys>(
  'diagnosis.ending_keys',
  `WITH RECURSIVE chain AS (
     SELECT org_id, id, key_id FROM webhook_triggers WHERE is_active AND key_id IS NOT NULL
     UNION SELECT c.org_id, c.id, k.replaced_by FROM chain c JOIN api_keys k ON k.org_id = c.org_id AND k.id = c.key_id
     WHERE k.replaced_by IS NOT NULL
   )
   SELECT (
     SELECT count(*)::integer FROM (
       SELECT FROM chain c JOIN api_keys k ON k.org_id = c.org_id AND k.id = c.key_id GROUP BY c.org_id, c.id
       HAVING bool_and(coalesce(k.expires_at <= now() OR k.revoked_at <= now(), false))
     ) ended
   ) AS selected,
   count(*) FILTER (WHERE expires_at <= now() AND expires_at > now() - interval '7 days'
     AND last_used_at > expires_at - interval '1 day')::integer AS expired,
   count(*) FILTER (WHERE expires_at > now() AND expires_at < now() + interval '7 days'
     AND last_used_at > now() - interval '7 days')::integer AS expiring
   FROM api_keys WHERE revoked_at IS NULL AND replaced_by IS NULL AND expires_at IS NOT NULL`,
);
