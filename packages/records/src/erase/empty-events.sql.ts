import { type Db, eraseResponses, statement } from '@relata/db';
import { memoizePerTable, type RecordTable } from '../table/record-table.ts';

interface Emptied {
  id: string;
  seq: number;
  looked: number;
  emptied: number;
  /**
   * Ids of records that had values of this record, directly or through a chain of merges, until the merges were undone.
   */
  former_winners: string[] | null;
}

const emptying = memoizePerTable(({ name, eventName }) =>
  statement<Emptied>(`${name}.empty_events`, emptySql(eventName)),
);

/**
 * Removes the content of at most `limit` events of the records, the oldest of each record first, and moves `positions`
 * past them. Returns how many events were read, and how many of them had content. If a record was merged into a winner
 * and the merge was undone, the winner's events in between lose the values that came from this record. The same applies
 * to records into which the winner was merged meanwhile. Also erases the stored responses that contain these winners.
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
  if (winners.size > 0) await eraseResponses(db, orgId, [...winners]);
  const sum = (name: 'looked' | 'emptied') => rows.reduce((total, row) => total + row[name], 0);
  return { looked: sum('looked'), emptied: sum('emptied') };
}

/** Maximum number of a winner's events after a merge that are searched for values of the loser. */
const winnerEventsMax = 10_000;

/**
 * Returns SQL that removes the content of events. It returns a row for each record, with the position of the last event
 * and the numbers of read and emptied events. Events that were already empty count as read, so the limit bounds each
 * call. The event of a merge keeps its content, except for the `crm_id` that came from an erased record. If the merge
 * was undone, the winner's events lose the values of the loser, up to the first change of each field. `= ANY
 * (ARRAY(…))` makes PostgreSQL look up each event by its id; with a join it might scan the table for each event.
 */
function emptySql(eventName: string): string {
  const without = (column: string, isCovered: string) => `${column} = CASE
        WHEN e.${column} IS NULL OR e.id NOT IN (SELECT id FROM holding) THEN e.${column}
        ELSE coalesce((SELECT json_object_agg(key, value ORDER BY n)
          FROM json_each(e.${column}) WITH ORDINALITY AS each (key, value, n)
          WHERE NOT EXISTS (SELECT FROM filled f WHERE f.winner = e.record_id AND e.seq >= f.seq AND ${isCovered}
            AND f.field = each.key AND f.value = each.value #>> '{}')), '{}') END`;
  return `
    WITH RECURSIVE part AS MATERIALIZED (
      SELECT e.id, e.seq, e.record_id, e.record IS NOT NULL AS is_full, (e.details ->> 'merged_into')::uuid AS winner,
        CASE WHEN e.details ->> 'merged_into' IS NOT NULL THEN e.record END AS loser
      FROM unnest($2::uuid[], $3::bigint[]) WITH ORDINALITY AS given (id, after, n) CROSS JOIN LATERAL (
        SELECT * FROM events e WHERE e.org_id = $1 AND e.record_id = given.id AND e.seq > given.after
        ORDER BY e.seq LIMIT $4::integer
      ) e LIMIT $4::integer
    ), emptied AS (
      UPDATE events e SET record = NULL, previous = NULL, details = NULL
      WHERE e.org_id = $1 AND e.id = ANY (ARRAY(SELECT id FROM part WHERE is_full))
    ), merges AS (
      ${mergesOf(
        eventName,
        'SELECT record_id AS erased_id, record_id AS loser_id, winner, seq, loser AS given FROM part WHERE winner IS NOT NULL',
      )}
      UNION ALL ${mergesOf(eventName, nextMerges)}
    ), filled AS MATERIALIZED (
      SELECT m.winner, m.seq, f.key AS field, f.value ->> 'value' AS value, (f.value ->> 'until')::bigint AS until
      FROM merges m CROSS JOIN LATERAL json_each(m.filled) f
    ), holding AS MATERIALIZED (
      SELECT e.id FROM (SELECT winner, seq, max(until) AS until FROM filled GROUP BY winner, seq) f CROSS JOIN LATERAL (
        SELECT e.id FROM events e WHERE e.org_id = $1 AND e.record_id = f.winner AND e.seq >= f.seq
          AND e.seq <= f.until ORDER BY e.seq LIMIT ${winnerEventsMax}
      ) e
    ), stripped AS (
      UPDATE events e SET ${without('record', 'e.seq < f.until')}, ${without('previous', 'e.seq <= f.until')},
        details = CASE WHEN e.id IN (SELECT id FROM merges) THEN (
          e.details::jsonb || jsonb_build_object('losers', (
            SELECT jsonb_agg(CASE WHEN EXISTS (
                SELECT FROM merges m WHERE m.id = e.id AND m.loser_id::text = loser ->> 'id' AND m.given ->> 'crm_id' IS NOT NULL
              ) THEN jsonb_build_object('id', loser -> 'id') ELSE loser END ORDER BY n)
            FROM jsonb_array_elements(e.details::jsonb -> 'losers') WITH ORDINALITY AS each (loser, n)
          )))::json ELSE e.details END
      WHERE e.org_id = $1 AND e.id = ANY (ARRAY(SELECT id FROM merges UNION SELECT id FROM holding))
    )
    SELECT record_id AS id, max(seq) AS seq, count(*)::integer AS looked,
      (count(*) FILTER (WHERE is_full))::integer AS emptied,
      (SELECT array_agg(DISTINCT m.winner::text) FROM merges m
        WHERE m.erased_id = part.record_id AND m.filled IS NOT NULL) AS former_winners
    FROM part GROUP BY record_id`;
}

/**
 * Returns SQL for merges. `losers` is SQL for the erased record, the loser, the winner, the position of the loser's
 * delete, and the values that came from the erased record. The event of a merge is the winner's first event after that
 * delete. The merge was undone if the loser's next event is its restore. `filled` then has the values that the winner
 * got from the loser. Each has the position of the event that ended it: the first change of the field, or else the
 * restore. A value that the winner still has after the undo is not in `filled`: the winner was in the trash, or has the
 * value from another loser.
 */
function mergesOf(eventName: string, losers: string): string {
  return `SELECT l.erased_id, l.loser_id, l.given, l.winner, m.id, m.seq, u.seq AS undone_seq, f.filled
      FROM (${losers}) l CROSS JOIN LATERAL (
        SELECT * FROM events e WHERE e.org_id = $1 AND e.record_id = l.winner AND e.seq > l.seq ORDER BY e.seq LIMIT 1
      ) m LEFT JOIN LATERAL (
        SELECT r.seq, w.record FROM (
          SELECT e.seq, e.type FROM events e WHERE e.org_id = $1 AND e.record_id = l.loser_id AND e.seq > m.seq
          ORDER BY e.seq LIMIT 1
        ) r CROSS JOIN LATERAL (
          SELECT e.record FROM events e WHERE e.org_id = $1 AND e.record_id = l.winner AND e.seq < r.seq
          ORDER BY e.seq DESC LIMIT 1
        ) w WHERE r.type = '${eventName}.restored'
      ) u ON true LEFT JOIN LATERAL (
        SELECT json_object_agg(g.key, json_build_object('value', g.value, 'until', coalesce(c.seq, u.seq))) AS filled
        FROM json_each(l.given) g LEFT JOIN LATERAL (
          SELECT e.seq FROM (${winnerEvents('l.winner', 'm.seq', 'u.seq')}) e WHERE g.key = ANY (e.changed) ORDER BY e.seq LIMIT 1
        ) c ON true
        WHERE u.seq IS NOT NULL AND g.key = ANY (m.changed) AND json_typeof(g.value) <> 'array'
          AND m.previous ->> g.key IS NULL AND m.record ->> g.key = g.value #>> '{}'
          AND (c.seq IS NOT NULL OR u.record ->> g.key IS DISTINCT FROM g.value #>> '{}')
      ) f ON true
      WHERE m.type = '${eventName}.merged' AND m.details IS NOT NULL AND l.winner <> ALL ($2::uuid[])`;
}

/** SQL for further merges: a winner was itself merged into another record while it had values of the erased record. */
const nextMerges = `SELECT m.erased_id, m.winner AS loser_id, d.winner, d.seq, f.given
        FROM merges m CROSS JOIN LATERAL (
          SELECT e.seq, (e.details ->> 'merged_into')::uuid AS winner
          FROM (${winnerEvents('m.winner', 'm.seq', 'm.undone_seq')}) e WHERE e.details ->> 'merged_into' IS NOT NULL
        ) d CROSS JOIN LATERAL (
          SELECT json_object_agg(f.key, f.value -> 'value') AS given FROM json_each(m.filled) f
          WHERE (f.value ->> 'until')::bigint > d.seq
        ) f WHERE f.given IS NOT NULL`;

function winnerEvents(winner: string, after: string, before: string): string {
  return `SELECT * FROM events w WHERE w.org_id = $1 AND w.record_id = ${winner} AND w.seq > ${after} AND w.seq < ${before}
          ORDER BY w.seq LIMIT ${winnerEventsMax}`;
}
