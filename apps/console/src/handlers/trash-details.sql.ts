import { type Db, statement } from '@relata/db';
import type { TrashedRecord } from '@relata/schemas/console';

type TrashDetails = Pick<TrashedRecord, 'deleted_by' | 'deleted_with'> & { id: string; winner_name: string | null };

/** Maximum count of other records in the same deletion. */
const othersMax = 100;

/**
 * Finds the fields that the trash does not store. The author of a delete comes from the record's last `.deleted` event,
 * or is null once that event has been purged.
 */
const find = statement<TrashDetails>(
  'console.trash_more',
  `SELECT t.id,
     (SELECT e.actor FROM events e WHERE e.org_id = t.org_id AND e.record_id = t.id
        AND e.type = t.resource || '.deleted' ORDER BY e.seq DESC LIMIT 1) AS deleted_by,
     (SELECT count(*)::integer FROM (
        SELECT FROM trash o WHERE o.org_id = t.org_id AND o.deletion_id = t.deletion_id AND o.id <> t.id
          AND o.record IS NOT NULL LIMIT ${othersMax}) other) AS deleted_with,
     coalesce(
       (SELECT a.account_name FROM accounts a WHERE a.org_id = t.org_id AND a.id = t.merged_into),
       (SELECT concat_ws(' ', c.first_name, c.last_name) FROM contacts c WHERE c.org_id = t.org_id AND c.id = t.merged_into)
     ) AS winner_name
   FROM trash t WHERE t.org_id = $1 AND t.id = ANY ($2::uuid[])`,
);

/** Returns the fields of `TrashDetails` for entries of the trash, by id. */
export async function findTrashDetails(
  db: Db,
  orgId: string,
  ids: readonly string[],
): Promise<Map<string, TrashDetails>> {
  const found = ids.length > 0 ? await db.query(find, [orgId, ids]) : [];
  return new Map(found.map((more) => [more.id, more]));
}
