import { type Db, type Statement, statement } from '@relata/db';
import type { Row } from '../table/record-column.ts';
import { perTable, type RecordTable, selected, toRecord } from '../table/record-table.ts';
import { recordTables } from '../record-tables.ts';
import { boundedSql } from './record-page.sql.ts';

type Table = RecordTable<unknown>;

/** Finds the records that one name in `expand` adds. */
interface Expander {
  name: string;
  /** Fields whose values say which record it is. */
  fields: readonly string[];
  target: Table;
  find: Statement<Row & { n: number }>;
}

/** Records by name, for each of some rows; a name is absent if there is no record. */
export type Expanded = readonly Row[];

/**
 * Finds the related records of rows, with one statement for each name. Equal ones are read once, and at most as many
 * bytes as a page has: `endOfPage` ends the page before a row whose record was not read.
 */
export async function expandRows(
  db: Db,
  orgId: string,
  table: Table,
  names: readonly string[],
  rows: readonly Row[],
): Promise<Expanded> {
  const expanded = rows.map((): Row => ({}));
  const expanders = names.map((name) => expandersOf(table).get(name)!);
  await Promise.all(expanders.map((expander) => expandBy(db, orgId, expander, rows, expanded)));
  return expanded;
}

async function expandBy(
  db: Db,
  orgId: string,
  { name, fields, target, find }: Expander,
  rows: readonly Row[],
  expanded: Row[],
): Promise<void> {
  const keys = rows.map((row) => fields.map((field) => row[field] ?? null));
  const places = Map.groupBy(keys.keys(), (at) => JSON.stringify(keys[at]));
  const given = [...places.values()].filter(([at]) => keys[at!]!.some((value) => value !== null));
  if (given.length === 0) return;
  const columns = fields.map((_field, i) => given.map(([at]) => keys[at!]![i]));
  for (const { n, ...row } of await db.query(find, [orgId, ...columns])) {
    const record = toRecord(target, row);
    for (const at of given[n - 1]!) expanded[at]![name] = record;
  }
}

const expandersOf = perTable((table): ReadonlyMap<string, Expander> => {
  const entries = Object.entries(table.resource.expansions).map(([name, { plural, field }]) => {
    const { fields, id } = table.expansions[name] ?? { fields: [field!], id: `given.${field}` };
    const target = recordTables.find((each) => each.name === plural)!;
    const find = statement<Row & { n: number }>(`${table.name}.expand_${name}`, findSql(table, target, { fields, id }));
    return [name, { name, fields, target, find }] as const;
  });
  return new Map(entries);
});

function findSql({ columns }: Table, target: Table, { fields, id }: { fields: readonly string[]; id: string }): string {
  const typeOf = (field: string) => columns.find(({ name }) => name === field)!.type;
  const given = fields.map((field, i) => `$${i + 2}::${typeOf(field)}[]`);
  const rows = `SELECT given.n::integer, ${selected(target)}
    FROM unnest(${given.join(', ')}) WITH ORDINALITY AS given (${fields.join(', ')}, n)
    JOIN ${target.name} r ON r.org_id = $1 AND r.id = ${id}`;
  return boundedSql(target, rows, { order: 'ORDER BY n', more: ['n'] });
}
