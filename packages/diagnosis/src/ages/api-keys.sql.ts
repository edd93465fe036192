import { type Db, statement } from '@relata/db';

interface EndingKeys {
  /** Expired or revoked keys that active triggers select: they let nobody in. */
  selected: number;
  /** Keys that were used until the day on which they expired, within the last week. */
  expired: number;
  /** Keys that were used within the last week, and expire within the next. */
  expiring: number;
}

/** Senders are let in by the selected key and by those that it was replaced with, one after the other. */
const ending = statement<EndingKeys>(
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

/** Keys that somebody counts on, and that have ended or are about to. */
export async function countEndingKeys(db: Db): Promise<EndingKeys> {
  const [row] = await db.query(ending, []);
  return row!;
}
