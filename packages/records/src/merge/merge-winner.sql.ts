import { type Db, onlyRow, type Statement, statement } from '@relata/db';
import { type Actor, toEventOrigin } from '@relata/events';
import { namesChanged, valuesBefore } from '../table/change.sql.ts';
import type { Row } from '../table/record-column.ts';
import { memoizePerTable, type RecordTable, toRecord } from '../table/record-table.ts';

const merging = memoizePerTable((table) => statement<Row>(`${table.name}.merge_winner`, mergeSql(table)));

/** A change of the winner of a merge. The caller has locked the winner. */
interface WinnerChange {
  id: string;
  patch: Row;
  eventId: string;
  details: object;
}

/** Changes the winner of a merge, and writes the event of the merge. `updated_at` always increases. */
export async function mergeWinner<Rec>(db: Db, actor: Actor, table: RecordTable<Rec>, given: WinnerChange) {
  const { actor: who, requestId, depth } = toEventOrigin(actor);
  const { id, patch, eventId, details } = given;
  const values = [actor.orgId, id, JSON.stringify(patch), eventId, who, requestId, depth, JSON.stringify(details)];
  const row = await onlyRow(db, merging(table) as Statement<Row>, values);
  return { record: toRecord(table, row), changed: row['changed_fields'] as string[] };
}

function mergeSql({ name, eventName, shown, writableByWorkflows: writable }: RecordTable<unknown>): string {
  const columns = shown.map((column) => `r.${column.name}`).join(', ');
  return `
    WITH judged AS MATERIALIZED (
      SELECT r AS old, json_populate_record(r, $3::json) AS new FROM ${name} r WHERE r.org_id = $1::uuid AND r.id = $2::uuid
    ), changed AS (
      UPDATE ${name} r SET ${writable.map((column) => `${column.name} = (j.new).${column.name}`).join(', ')},
        updated_at = greatest(now(), r.updated_at + interval '1 millisecond')
      FROM judged j WHERE r.org_id = $1::uuid AND r.id = $2::uuid
      RETURNING ${namesChanged(writable)} AS changed_fields, ${columns}
    ), events_written AS (
      INSERT INTO events (org_id, id, seq, type, record_id, actor, request_id, depth, changed, previous, record, details)
      SELECT $1::uuid, $4::uuid, next_event($1::uuid), '${eventName}.merged', $2::uuid, $5::json, $6::text, $7::smallint,
        r.changed_fields, ${valuesBefore(writable)}, row_to_json((SELECT shown FROM (SELECT ${columns}) shown)), $8::json
      FROM changed r CROSS JOIN judged j
    )
    SELECT r.changed_fields, ${columns} FROM changed r`;
}
