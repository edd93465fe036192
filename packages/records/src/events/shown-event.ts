import { isoTimestamp } from '@relata/db';
import type { StoredActor, StoredEvent } from '@relata/events';
import type { Event } from '@relata/schemas';
import type { Row } from '../table/record-column.ts';
import { type RecordTable, toRecord } from '../table/record-table.ts';
import { recordTables } from '../record-tables.ts';

const tables = new Map(recordTables.map((table) => [table.eventName, table]));

/** Returns an event as the API shows it; its record looks as GET showed it after the change. */
export function shownEvent(stored: StoredEvent): Event {
  const { id, type, created_at, record_id, actor, request_id, depth, changed, previous, record } = stored;
  const { candidate_count: candidateCount, ...details } = stored.details ?? {};
  const recordType = type.slice(0, type.indexOf('.'));
  const table = tables.get(recordType);
  return {
    id,
    type,
    created_at,
    record_type: recordType,
    record_id,
    actor: shownActor(actor),
    ...(request_id !== null && { request_id }),
    ...(actor.type === 'run' && { run: { id: actor.id, workflow: actor.workflow, step: actor.step, depth } }),
    ...(changed && { changed }),
    ...(changed && record && { previous: shownValues(table, previous ?? {}) }),
    ...(candidateCount !== undefined && { candidate_count: candidateCount }),
    ...(Object.keys(details).length > 0 && { details }),
    ...shownContent(table, record_id, record),
  };
}

/** Returns the record of an event, or only its id if an erase has removed the content. */
function shownContent(table: RecordTable<unknown> | undefined, id: string, record: Row | null) {
  if (record === null) return { record: { id }, erased: true as const };
  return { record: table ? shownRecord(table, record) : record };
}

function shownActor(actor: StoredActor): Event['actor'] {
  if (actor.type === 'run') return { type: 'run', id: actor.id, name: actor.workflow };
  return actor;
}

function shownValues(table: RecordTable<unknown> | undefined, values: Row): Row {
  const shown: Row = {};
  for (const name in values) shown[name] = table?.times.has(name) ? shownTime(values[name]) : values[name];
  return shown;
}

export function shownRecord(table: RecordTable<unknown>, values: Row): Row {
  const record = toRecord(table as RecordTable<Row>, values);
  for (const name of table.times) record[name] = shownTime(record[name]);
  return record;
}

/**
 * Converts a time to the format of query results: PostgreSQL formats times differently when it converts a row to JSON.
 */
function shownTime(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value.endsWith('+00:00') ? isoTimestamp(value.slice(0, -3)) : new Date(value).toISOString();
}
