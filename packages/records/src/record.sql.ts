import type { Db } from '@relata/db';
import type { Column, Row } from './table/record-column.ts';
import { type RecordTable, toRecord } from './table/record-table.ts';

/** Returns the record; undefined if the organization has none with this id. */
export async function findRecord<Rec>(db: Db, orgId: string, table: RecordTable<Rec>, id: string) {
  const [row] = await db.query(table.statements.find, [orgId, id]);
  return row && toRecord(table, row);
}

export interface Lookup {
  orgId: string;
  id: string;
}

/**
 * Finds records of one or more organizations with one statement. Returns a result for each look-up, in order; it is
 * undefined if the record does not exist.
 */
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

/** Returns the given values of these columns, and nothing else. */
export function givenFields(columns: readonly Column[], given: Row): Row {
  const fields: Row = {};
  for (const { name } of columns) {
    if (given[name] !== undefined) fields[name] = given[name];
  }
  return fields;
}
