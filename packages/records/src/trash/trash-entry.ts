import type { TrashEntry } from '@relata/schemas';
import { shownRecord } from '../events/shown-event.ts';
import { recordTables } from '../record-tables.ts';
import type { Row } from '../table/record-column.ts';
import type { RecordTable } from '../table/record-table.ts';
import { purgeAt } from './deletion-meta.ts';

/** A row of the trash. */
export interface StoredEntry {
  id: string;
  /** Name of its kind, as in the types of its events. */
  resource: string;
  deletion_id: string;
  deleted_at: string;
  merged_into: string | null;
  /** The record as PostgreSQL converts it to JSON. */
  record: Row;
}

const tables = new Map(recordTables.map((table) => [table.eventName, table]));

/** Returns the table that a deleted record was in. */
export function tableOf(resource: string): RecordTable<unknown> {
  const table = tables.get(resource);
  if (!table) throw new Error(`No table has records of the kind ${resource}.`);
  return table;
}

/** Returns an entry of the trash as the API shows it. */
export function shownEntry(stored: StoredEntry, trashDays: number): TrashEntry {
  const { id, resource, deletion_id, deleted_at, merged_into, record } = stored;
  return {
    id,
    resource,
    deletion_id,
    deleted_at,
    purge_at: purgeAt(deleted_at, trashDays),
    merged_into,
    record: shownRecord(tableOf(resource), record),
  } as unknown as TrashEntry;
}
