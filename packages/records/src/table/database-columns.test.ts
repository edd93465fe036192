import { type Database, statement } from '@relata/db';
import { createTestDatabase } from '@relata/testing';
import { expect, test } from 'vitest';
import { recordTables } from '../record-tables.ts';
import { type ColumnType, isList } from './record-column.ts';

interface DatabaseColumn {
  name: string;
  type: string;
  is_required: boolean;
}

const columnsOf = statement<DatabaseColumn>(
  'test.columns',
  `SELECT attname AS name, format_type(atttypid, atttypmod) AS type, attnotnull AS is_required
   FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
);

/** PostgreSQL's names of column types; a type that is not listed has the same name. */
const databaseNames: Partial<Record<ColumnType, string>> = { timestamptz: 'timestamp(3) with time zone' };

async function readColumns(database: Database, table: string): Promise<Map<string, DatabaseColumn>> {
  return new Map((await database.query(columnsOf, [table])).map((column) => [column.name, column]));
}

test('the columns of the database hold every value that the schemas of their fields accept (found C1)', async () => {
  await using db = await createTestDatabase();
  const faults: string[] = [];
  for (const { name, columns, derived, resource } of recordTables) {
    const found = await readColumns(db.database, name);
    for (const column of columns.filter((each) => derived[each.name] === undefined)) {
      const at = `${name}.${column.name}`;
      const stored = found.get(column.name);
      const type = databaseNames[column.type] ?? column.type;
      if (stored?.type !== type) faults.push(`${at}: the schema needs ${type}, the database has ${stored?.type}`);
      const kind = resource.fields[column.name]?.kind;
      // A list without a value is empty.
      const isOptional = !isList(column.type) && (kind === 'optional' || kind === 'nullable');
      if (isOptional && stored?.is_required) faults.push(`${at}: the field is optional, the column is NOT NULL`);
    }
  }
  expect(faults).toEqual([]);
});
