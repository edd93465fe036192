import { type Db, locked, newId, type SharedStatement, statement, type UnitDb } from '@relata/db';
import { type Actor, toEventOrigin } from '@relata/events';
import { givenFields } from '../record.sql.ts';
import { insertSql } from '../table/insert.sql.ts';
import type { Column, Row } from '../table/record-column.ts';
import { memoizePerTable, type RecordTable, toRecord } from '../table/record-table.ts';
import { recordBatching } from './record-batching.ts';
import { completeNew } from './record-rules.ts';
import { referencesChange, refuseMissing } from './reference.sql.ts';

/**
 * Number of attempts: a referenced record may be created between the refusal and the check, so the insert is retried
 * once.
 */
const triesMax = 2;

/**
 * Creates a record; `fields` have been checked. The insert itself checks references, since a broken foreign key would
 * abort the whole transaction. Throws `invalid_reference` for a reference that the organization does not have.
 */
export async function createRecord<Rec>(
  db: UnitDb,
  actor: Actor,
  table: RecordTable<Rec>,
  fields: Row,
  writable = table.writableByWorkflows,
): Promise<Rec> {
  const { orgId } = actor;
  const given = await completeNew({ db, actor, orgId, table }, fields);
  const row = newRow(actor, table, given, writable);
  for (let tries = 0; tries < triesMax; tries++) {
    const created = await db.call(insertsInto(table), row);
    if (created) return created as Rec;
    await refuseMissing(db, orgId, table, given);
  }
  throw referencesChange();
}

/**
 * A record to be inserted: a JSON object with its organization, its fields and its event, but without the ids of record
 * and event.
 */
export interface NewRow {
  orgId: string;
  text: string;
}

/** Returns a row with the given fields that the actor may write. */
export function newRow(
  actor: Actor,
  table: RecordTable<unknown>,
  given: Row,
  writable: readonly Column[] = table.writable,
): NewRow {
  const { orgId } = actor;
  const { actor: who, requestId, depth } = toEventOrigin(actor);
  const row = givenFields(writable, given);
  Object.assign(row, { org_id: orgId, event_request: requestId, event_depth: depth });
  // The actor is already JSON, so it is inserted as it is.
  return { orgId, text: `${JSON.stringify(row).slice(0, -1)},"event_actor":${who}}` };
}

/**
 * If another transaction has locked a record that a new record refers to, `insert` waits, and `insertUnlocked` does not
 * insert the new record.
 */
const insertStatements = memoizePerTable((table) => ({
  insert: statement<Row>(`${table.name}.insert`, insertSql(table, { skipsLocked: false })),
  insertUnlocked: statement<Row>(`${table.name}.insert`, insertSql(table, { skipsLocked: true }), 'unlocked'),
}));

/**
 * Inserts rows of one or more organizations in one statement. Returns a result for each row, in their order: the
 * record; undefined if the row refers to something that its organization does not have; or, unless `waits` is set,
 * `locked` if the row refers to something that another transaction has locked. A refused row does not affect the
 * others. Ids are created here, as late as possible, so that the ids of consecutive statements ascend.
 */
async function insertRows<Rec>(
  db: Db,
  table: RecordTable<Rec>,
  rows: readonly NewRow[],
  { waits }: { waits: boolean },
): Promise<(Rec | typeof locked | undefined)[]> {
  const ids = rows.map(() => newId());
  const objects = rows.map(({ text }, i) => `{"id":"${ids[i]}","event_id":"${newId()}",${text.slice(1)}`);
  const { insert, insertUnlocked } = insertStatements(table);
  const inserted = await db.query(waits ? insert : insertUnlocked, [`[${objects.join()}]`]);
  const byId = new Map(inserted.map((row) => [row['id'], row]));
  return ids.map((id) => {
    const row = byId.get(id);
    return row?.['is_locked'] === true ? locked : row && toRecord(table, row);
  });
}

/**
 * Inserts a row; returns undefined if it refers to a record that does not exist in its organization. If another
 * transaction has locked a record that this row refers to, the rows of other units in the statement do not wait.
 */
const insertsInto = memoizePerTable((table): SharedStatement<NewRow, unknown> => ({
  run: (db, rows, how) => insertRows(db, table, rows, how),
  wrote: (inserted) => inserted !== undefined,
  batching: recordBatching(({ text }: NewRow) => text.length),
}));

/** Inserts rows whose references are known to exist. */
export async function insertRecords<Rec>(db: Db, table: RecordTable<Rec>, rows: readonly NewRow[]): Promise<Rec[]> {
  const inserted = await insertRows(db, table, rows, { waits: true });
  if (inserted.includes(undefined))
    throw new Error(`A row of ${table.name} refers to something that its organization does not have.`);
  return inserted as Rec[];
}
