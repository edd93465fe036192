import { listWith } from '@relata/db';

const seqOfMerge = '(SELECT m.seq FROM events m WHERE m.org_id = $1 AND m.id = $3)';

/**
 * Returns the fields of a record that were changed after an event. Ignores changes of a reference that were part of a
 * delete, merge or restore of the referenced record; both events have the time of the transaction. `references` are the
 * fields that refer to other records.
 */
export const changedSince = listWith<
  { field: string },
  [orgId: string, id: string, eventId: string | null, references: readonly string[]]
>(
  'events.changed_since',
  // The subquery with LIMIT looks up the few events of the referenced records; the planner might join all events.
  `SELECT DISTINCT field FROM events e, unnest(e.changed) AS field
   WHERE e.org_id = $1 AND e.record_id = $2 AND e.seq > ${seqOfMerge}
     AND (
       SELECT true FROM events r
       WHERE r.org_id = $1 AND r.seq > ${seqOfMerge}
         AND r.record_id = ANY (CASE WHEN field = ANY ($4::text[]) THEN
           ARRAY[(e.previous ->> field)::uuid, (e.record ->> field)::uuid] END)
         AND r.created_at = e.created_at AND split_part(r.type, '.', 2) IN ('deleted', 'restored')
       LIMIT 1
     ) IS NULL`,
);

/** SQL for the ids `given`, and the records into which they were merged, also in a chain of merges. */
const chainOf = (given: string) => `WITH RECURSIVE chain AS (
     ${given} UNION
     SELECT c.field, t.merged_into FROM chain c CROSS JOIN LATERAL (
       SELECT merged_into FROM trash WHERE org_id = $1 AND id = c.id AND merged_into IS NOT NULL LIMIT 1
     ) t
   )`;

/**
 * Locks the entries of records in the trash, and of those into which they were merged, in the order of their ids. They
 * cannot be restored meanwhile.
 */
export const lockChain = listWith<{ id: string }, [orgId: string, ids: readonly string[]]>(
  'trash.lock_chain',
  `SELECT id FROM trash WHERE org_id = $1 AND id = ANY (ARRAY(
     ${chainOf('SELECT NULL AS field, given.id FROM unnest($2::uuid[]) AS given (id)')} SELECT id FROM chain
   )) ORDER BY id FOR UPDATE`,
);

/**
 * Moves links in `trash_links` from the winner to the loser, when a merge is undone: the links to `ids`, and to the
 * records into which those were merged. If such a record is restored later, it is linked to the loser. `ids[i]` is the
 * id that the loser's field `fields[i]` had.
 */
export const handOver = listWith<
  never,
  [orgId: string, table: string, winnerId: string, loserId: string, fields: readonly string[], ids: readonly string[]]
>(
  'trash_links.hand_over',
  `${chainOf('SELECT given.field, given.id FROM unnest($5::text[], $6::uuid[]) AS given (field, id)')}
   UPDATE trash_links l SET record_id = $4 FROM chain c
   WHERE l.org_id = $1 AND l.resource = $2 AND l.record_id = $3 AND l.field = c.field AND l.id = c.id`,
);
