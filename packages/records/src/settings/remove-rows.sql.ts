import { newId, type Statement, statement } from '@relata/db';
import { toEventOrigin } from '@relata/events';
import type { Row } from '../table/record-column.ts';
import { memoizePerTable, type RecordTable, toRecord } from '../table/record-table.ts';
import type { RuleContext } from '../table/record-table.ts';

const removal = memoizePerTable((table: RecordTable<unknown>): Statement<Row> => {
  const { name, eventName } = table;
  const shown = table.shown.map((column) => `r.${column.name}`).join(', ');
  return statement(
    `${name}.remove`,
    `WITH given AS MATERIALIZED (
       SELECT * FROM unnest($2::uuid[], $3::uuid[]) AS given (id, event_id)
     ), removed AS (
       DELETE FROM ${name} r USING given WHERE r.org_id = $1 AND r.id = given.id RETURNING given.event_id, ${shown}
     ), events_written AS (
       INSERT INTO events (org_id, id, seq, type, record_id, actor, request_id, depth, record)
       SELECT $1, r.event_id, next_event($1), '${eventName}.deleted', r.id, $4::json, $5::text, $6::smallint,
         row_to_json((SELECT shown FROM (SELECT ${shown}) shown))
       FROM removed r ORDER BY r.id
     )
     SELECT ${shown} FROM removed r`,
  );
});

/** Deletes records without moving them to the trash, and writes an event for each. Returns the deleted records. */
export async function removeRows<Rec>(
  { db, actor, orgId }: Omit<RuleContext, 'table'>,
  table: RecordTable<Rec>,
  ids: readonly string[],
): Promise<Rec[]> {
  const origin = toEventOrigin(actor);
  const values = [orgId, ids, ids.map(() => newId()), origin.actor, origin.requestId, origin.depth];
  return (await db.query(removal(table), values)).map((row) => toRecord(table, row));
}
