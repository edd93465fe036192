import { type Db, eraseResponses, newId, statement } from '@relata/db';
import { type Actor, toEventOrigin } from '@relata/events';
import { keepsWinner } from '../merge/move-links.sql.ts';
import { memoizePerTable, type RecordTable } from '../table/record-table.ts';

const removing = memoizePerTable((table) => statement<never>(`${table.name}.erase`, removeSql(table)));

/**
 * Removes records from their table and the trash, with the stored responses that contain them, and writes the event of
 * each erase. The caller must already have erased the content of their events. If events ever start deliveries (event
 * triggers, endpoints), this function must erase those deliveries, too.
 */
export async function removeKept(
  db: Db,
  actor: Actor,
  table: RecordTable<unknown>,
  ids: readonly string[],
): Promise<void> {
  const { actor: who, requestId, depth } = toEventOrigin(actor);
  await eraseResponses(db, actor.orgId, ids);
  await db.query(removing(table), [actor.orgId, ids, ids.map(() => newId()), who, requestId, depth]);
}

/**
 * Returns SQL that removes records, and writes their events without content. Links of other records to them were
 * cleared before. A list keeps the winner that replaced an erased loser, even if another loser of the same list is
 * restored.
 */
function removeSql({ name, eventName }: RecordTable<unknown>): string {
  const moved = `(SELECT l.record_id, l.field, e.merged_into
      FROM links_to l JOIN trash e ON e.org_id = $1::uuid AND e.id = l.id AND e.merged_into IS NOT NULL)`;
  return `
    WITH given AS MATERIALIZED (
      SELECT * FROM unnest($2::uuid[], $3::uuid[]) WITH ORDINALITY AS given (id, event_id, n)
    ), removed AS (
      DELETE FROM ${name} WHERE org_id = $1::uuid AND id = ANY ($2::uuid[])
    ), entries AS (
      DELETE FROM trash WHERE org_id = $1::uuid AND id = ANY ($2::uuid[])
    ), links_to AS (
      DELETE FROM trash_links WHERE org_id = $1::uuid AND id = ANY ($2::uuid[]) RETURNING id, record_id, field
    ), kept AS (
      ${keepsWinner(moved, 'o.id <> ALL ($2::uuid[]) AND o.record_id <> ALL ($2::uuid[])')}
    ), links_of AS (
      DELETE FROM trash_links WHERE org_id = $1::uuid AND record_id = ANY ($2::uuid[]) AND id <> ALL ($2::uuid[])
    ), steps AS (
      DELETE FROM merge_steps WHERE org_id = $1::uuid AND (winner_id = ANY ($2::uuid[]) OR loser_ids && $2::uuid[])
    )
    INSERT INTO events (org_id, id, seq, type, record_id, actor, request_id, depth)
    SELECT $1::uuid, event_id, next_event($1::uuid), '${eventName}.erased', id, $4::json, $5::text, $6::smallint
    FROM given ORDER BY n`;
}
