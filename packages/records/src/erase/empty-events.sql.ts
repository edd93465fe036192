import { type Db, statement } from '@relata/db';
import { perTable, type RecordTable } from '../table/record-table.ts';

interface Emptied {
  id: string;
  seq: number;
  looked: number;
  emptied: number;
}

const emptying = perTable(({ name, eventName }) => statement<Emptied>(`${name}.empty_events`, emptySql(eventName)));

/**
 * Removes the content of the events of records, the oldest of each record first, of at most `limit` events. Returns the
 * numbers of events that it looked at and that had content, and moves `positions` on.
 */
export async function emptyEvents(
  db: Db,
  orgId: string,
  table: RecordTable<unknown>,
  ids: readonly string[],
  { positions, limit }: { positions: Map<string, number>; limit: number },
): Promise<{ looked: number; emptied: number }> {
  const afters = ids.map((id) => positions.get(id) ?? 0);
  const rows = await db.query(emptying(table), [orgId, ids, afters, limit]);
  for (const { id, seq } of rows) positions.set(id, seq);
  const sum = (name: 'looked' | 'emptied') => rows.reduce((total, row) => total + row[name], 0);
  return { looked: sum('looked'), emptied: sum('emptied') };
}

/**
 * Returns SQL that looks at events whether or not they are empty, so that each call has a bound. The event of a merge
 * stays, but loses the `crm_id` of an erased loser; it is the winner's next event after that of the loser.
 * The arrays make PostgreSQL look each event up; a join may be planned as a scan of the table for each.
 */
function emptySql(eventName: string): string {
  return `
    WITH part AS MATERIALIZED (
      SELECT e.id, e.seq, e.record_id, e.record IS NOT NULL AS is_full, e.details ->> 'merged_into' AS winner
      FROM unnest($2::uuid[], $3::bigint[]) WITH ORDINALITY AS given (id, after, n) CROSS JOIN LATERAL (
        SELECT * FROM events e WHERE e.org_id = $1 AND e.record_id = given.id AND e.seq > given.after
        ORDER BY e.seq LIMIT $4::integer
      ) e LIMIT $4::integer
    ), emptied AS (
      UPDATE events e SET record = NULL, previous = NULL, details = NULL
      WHERE e.org_id = $1 AND e.id = ANY (ARRAY(SELECT id FROM part WHERE is_full))
    ), merges AS MATERIALIZED (
      SELECT DISTINCT m.id FROM part p CROSS JOIN LATERAL (
        SELECT * FROM events e WHERE e.org_id = $1 AND e.record_id = p.winner::uuid AND e.seq > p.seq ORDER BY e.seq LIMIT 1
      ) m WHERE p.winner IS NOT NULL AND m.type = '${eventName}.merged' AND m.details IS NOT NULL
        AND m.record_id <> ALL ($2::uuid[])
    ), stripped AS (
      UPDATE events e SET details = (e.details::jsonb || jsonb_build_object('losers', (
        SELECT jsonb_agg(CASE WHEN loser ->> 'id' = ANY ($2::uuid[]::text[]) THEN jsonb_build_object('id', loser -> 'id')
          ELSE loser END ORDER BY n)
        FROM jsonb_array_elements(e.details::jsonb -> 'losers') WITH ORDINALITY AS each (loser, n)
      )))::json
      WHERE e.org_id = $1 AND e.id = ANY (ARRAY(SELECT id FROM merges))
    )
    SELECT record_id AS id, max(seq) AS seq, count(*)::integer AS looked,
      (count(*) FILTER (WHERE is_full))::integer AS emptied
    FROM part GROUP BY record_id`;
}
