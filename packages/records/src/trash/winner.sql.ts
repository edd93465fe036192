import { listWith } from '@relata/db';

/**
 * Finds the records into which others were merged. In a chain of merges, it finds the last winner. The statement begins
 * with SELECT, so it counts as reading: a unit of a shared transaction that has only read may fail alone.
 */
export const findWinners = listWith<{ id: string; winner: string }, [orgId: string, ids: readonly string[]]>(
  'trash.winners',
  `SELECT id, winner FROM (WITH RECURSIVE merged AS (
     SELECT id, merged_into FROM trash WHERE org_id = $1 AND id = ANY ($2::uuid[]) AND merged_into IS NOT NULL
     UNION SELECT m.id, t.merged_into FROM merged m JOIN trash t ON t.org_id = $1 AND t.id = m.merged_into
       WHERE t.merged_into IS NOT NULL
   )
   SELECT m.id, m.merged_into AS winner FROM merged m
   WHERE NOT EXISTS (SELECT FROM trash t WHERE t.org_id = $1 AND t.id = m.merged_into AND t.merged_into IS NOT NULL)) last`,
);
