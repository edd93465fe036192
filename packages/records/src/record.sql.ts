import { type Db, newId, type SharedStatement } from '@relata/db';
import { type Actor, originOf } from '@relata/events';
import type { Column, Row } from './table/record-column.ts';
import { perTable, type RecordTable, toRecord } from './table/record-table.ts';
import { recordLane } from './writes/record-lane.ts';

/** The record, or undefined where the organization has none of this id. */
export async function findRecord<Rec>(db: Db, orgId: string, table: RecordTable<Rec>, id: string) {
  const [row] = await db.query(table.statements.find, [orgId, id]);
  return row && toRecord(table, row);
}

/** A record that is looked for by its id. */
export interface Lookup {
  orgId: string;
  id: string;
}

/** Finds records of any organizations by one statement; results in the order of the look-ups, undefined for one that is not there. */
export async function findRecords<Rec>(
  db: Db,
  table: RecordTable<Rec>,
  lookups: readonly Lookup[],
): Promise<(Rec | undefined)[]> {
  const [first] = lookups;
  if (first && lookups.length === 1) return [await findRecord(db, first.orgId, table, first.id)];
  const values = [lookups.map(({ orgId }) => orgId), lookups.map(({ id }) => id)];
  const found: (Rec | undefined)[] = lookups.map(() => undefined);
  for (const row of await db.query(table.statements.findMany, values)) found[row.n - 1] = toRecord(table, row);
  return found;
}

/** A record to be inserted: the JSON object of its organization, its fields and its event, still without their ids. */
export interface NewRow {
  orgId: string;
  text: string;
}

/** Takes the fields that the actor may write out of what was given. */
export function newRow(
  actor: Actor,
  table: RecordTable<unknown>,
  given: Row,
  writable: readonly Column[] = table.writable,
): NewRow {
  const { orgId } = actor;
  const { actor: who, requestId, depth } = originOf(actor);
  const row = fieldsOf(writable, given);
  Object.assign(row, { org_id: orgId, event_request: requestId, event_depth: depth });
  // What is JSON already is put in as it is.
  return { orgId, text: `${JSON.stringify(row).slice(0, -1)},"event_actor":${who}}` };
}

/** What was given for these columns, and nothing else. */
export function fieldsOf(columns: readonly Column[], given: Row): Row {
  const fields: Row = {};
  for (const { name } of columns) {
    if (given[name] !== undefined) fields[name] = given[name];
  }
  return fields;
}

/**
 * Inserts rows of any organizations in one statement. Records come in the order of the rows; undefined stands for a row
 * that refers to what its organization does not have, and affects no other row. Ids are given here, at the
 * last moment, so that statements that follow each other leave ids that do too.
 */
async function insertRows<Rec>(db: Db, table: RecordTable<Rec>, rows: readonly NewRow[]): Promise<(Rec | undefined)[]> {
  const ids = rows.map(() => newId());
  const objects = rows.map(({ text }, i) => `{"id":"${ids[i]}","event_id":"${newId()}",${text.slice(1)}`);
  const inserted = await db.query(table.statements.insert, [`[${objects.join()}]`]);
  const byId = new Map(inserted.map((row) => [row['id'], row]));
  return ids.map((id) => {
    const row = byId.get(id);
    return row && toRecord(table, row);
  });
}

/** Inserts a row; undefined if it refers to what its organization does not have. */
export const insertsInto = perTable((table): SharedStatement<NewRow, unknown> => ({
  run: (db, rows) => insertRows(db, table, rows),
  wrote: (inserted) => inserted !== undefined,
  lane: { ...recordLane, orgIdOf: ({ orgId }) => orgId, weightOf: ({ text }) => text.length },
}));

/** Inserts rows whose references are known to exist. */
export async function insertRecords<Rec>(db: Db, table: RecordTable<Rec>, rows: readonly NewRow[]): Promise<Rec[]> {
  const inserted = await insertRows(db, table, rows);
  if (inserted.includes(undefined))
    throw new Error(`A row of ${table.name} names what its organization does not have.`);
  return inserted as Rec[];
}
