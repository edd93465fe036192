import { type Db, eraseAnswers, statement } from '@relata/db';
import { perTable, type RecordTable } from '../table/record-table.ts';

interface Emptied {
  id: string;
  seq: number;
  looked: number;
  emptied: number;
  /** Records into which this one was merged until the merge was undone. */
  former_winners: string[] | null;
}

const emptying = perTable(({ name, eventName }) => statement<Emptied>(`${name}.empty_events`, emptySql(eventName)));

/**
 * Removes the content of at most `limit` events of the records, the oldest of each record first, and moves `positions`
 * past them. Returns how many events were read, and how many of them had content. If a record was merged into a winner
 * and the merge was undone, the winner's events in between lose the values that came from this record. The stored
 * responses about the winner are erased, too.
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
  const winners = new Set(rows.flatMap((row) => row.former_winners ?? []));
  if (winners.size > 0) await eraseAnswers(db, orgId, [...winners]);
  const sum = (name: 'looked' | 'emptied') => rows.reduce((total, row) => total + row[name], 0);
  return { looked: sum('looked'), emptied: sum('emptied') };
}

/** Maximum number of a winner's events, from the merge on, that are searched for values of a loser. */
const winnerEventsMax = 10_000;

/**
 * Returns SQL that removes the content of events. Its rows have the last position of each record, and how many events
 * were read and emptied. Events that were already empty count as read, so the limit bounds each call. The event of a
 * merge is the winner's first event after the loser's delete. It keeps its content, except for the `crm_id` of an
 * erased loser. If the merge was undone, the loser's next event is its restore. The winner's events from the merge
 * until the restore lose the fields that the loser had filled and that still have the loser's values.
 * `= ANY (ARRAY(…))` makes PostgreSQL look up each event by its id; with a join it might scan the table for each event.
 */
function emptySql(eventName: string): string {
  const without = (column: string) => `${column} = CASE
        WHEN e.${column} IS NULL OR e.id NOT IN (SELECT id FROM holding) THEN e.${column}
        ELSE coalesce((SELECT json_object_agg(key, value ORDER BY n)
          FROM json_each(e.${column}) WITH ORDINALITY AS each (key, value, n)
          WHERE NOT EXISTS (SELECT FROM filled f WHERE f.winner = e.record_id AND e.seq >= f.seq AND e.seq < f.undone_seq
            AND f.field = each.key AND f.value = each.value #>> '{}')), '{}') END`;
  return `
    WITH part AS MATERIALIZED (
      SELECT e.id, e.seq, e.record_id, e.record IS NOT NULL AS is_full, e.details ->> 'merged_into' AS winner,
        CASE WHEN e.details ->> 'merged_into' IS NOT NULL THEN e.record END AS loser
      FROM unnest($2::uuid[], $3::bigint[]) WITH ORDINALITY AS given (id, after, n) CROSS JOIN LATERAL (
        SELECT * FROM events e WHERE e.org_id = $1 AND e.record_id = given.id AND e.seq > given.after
        ORDER BY e.seq LIMIT $4::integer
      ) e LIMIT $4::integer
    ), emptied AS (
      UPDATE events e SET record = NULL, previous = NULL, details = NULL
      WHERE e.org_id = $1 AND e.id = ANY (ARRAY(SELECT id FROM part WHERE is_full))
    ), merges AS MATERIALIZED (
      SELECT m.*, p.record_id AS loser_id, p.loser FROM part p CROSS JOIN LATERAL (
        SELECT * FROM events e WHERE e.org_id = $1 AND e.record_id = p.winner::uuid AND e.seq > p.seq ORDER BY e.seq LIMIT 1
      ) m WHERE p.winner IS NOT NULL AND m.type = '${eventName}.merged' AND m.details IS NOT NULL
        AND m.record_id <> ALL ($2::uuid[])
    ), undone AS MATERIALIZED (
      SELECT m.*, u.seq AS undone_seq FROM merges m CROSS JOIN LATERAL (
        SELECT e.seq, e.type FROM events e WHERE e.org_id = $1 AND e.record_id = m.loser_id AND e.seq > m.seq
        ORDER BY e.seq LIMIT 1
      ) u WHERE u.type = '${eventName}.restored'
    ), filled AS MATERIALIZED (
      SELECT u.record_id AS winner, u.seq, u.undone_seq, l.key AS field, l.value #>> '{}' AS value
      FROM undone u CROSS JOIN LATERAL json_each(u.loser) l
      WHERE l.key = ANY (u.changed) AND json_typeof(l.value) <> 'array' AND u.previous ->> l.key IS NULL
        AND u.record ->> l.key = l.value #>> '{}'
    ), holding AS MATERIALIZED (
      SELECT e.id FROM (SELECT DISTINCT winner, seq, undone_seq FROM filled) f CROSS JOIN LATERAL (
        SELECT e.id FROM events e WHERE e.org_id = $1 AND e.record_id = f.winner AND e.seq >= f.seq
          AND e.seq < f.undone_seq ORDER BY e.seq LIMIT ${winnerEventsMax}
      ) e
    ), stripped AS (
      UPDATE events e SET ${without('record')}, ${without('previous')},
        details = CASE WHEN e.id IN (SELECT id FROM merges) THEN (
          e.details::jsonb || jsonb_build_object('losers', (
            SELECT jsonb_agg(CASE WHEN loser ->> 'id' = ANY ($2::uuid[]::text[]) THEN jsonb_build_object('id', loser -> 'id')
              ELSE loser END ORDER BY n)
            FROM jsonb_array_elements(e.details::jsonb -> 'losers') WITH ORDINALITY AS each (loser, n)
          )))::json ELSE e.details END
      WHERE e.org_id = $1 AND e.id = ANY (ARRAY(SELECT id FROM merges UNION SELECT id FROM holding))
    )
    SELECT record_id AS id, max(seq) AS seq, count(*)::integer AS looked,
      (count(*) FILTER (WHERE is_full))::integer AS emptied,
      (SELECT array_agg(DISTINCT u.record_id::text) FROM undone u WHERE u.loser_id = part.record_id) AS former_winners
    FROM part GROUP BY record_id`;
}
