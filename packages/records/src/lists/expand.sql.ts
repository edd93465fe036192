import { type Db, type Statement, statement } from '@relata/db';
import type { Row } from '../table/record-column.ts';
import { memoizePerTable, type RecordTable, selected, toRecord } from '../table/record-table.ts';
import { recordTables } from '../record-tables.ts';
import { boundedSql } from './record-page.sql.ts';

type Table = RecordTable<unknown>;

/** Look-up of the records that one name in `expand` adds. */
interface Expander {
  name: string;
  /** Fields whose values determine the record. */
  fields: readonly string[];
  target: Table;
  find: Statement<Row & { n: number }>;
}

/** Related records by name, for each row. A name is absent if there is no record. */
export type Expanded = readonly Row[];

/**
 * Finds the related records of rows, with one statement for each name. Each record is read only once. A statement
 * returns at most as many bytes as a page may have; `endOfPage` ends the page before a row whose record was not read.
 * The names are in the order of their declaration.
 */
export async function expandRows(
  db: Db,
  orgId: string,
  table: Table,
  names: readonly string[],
  rows: readonly Row[],
): Promise<Expanded> {
  const expanders = expandersOf(table).filter(({ name }) => names.includes(name));
  const found = await Promise.all(expanders.map((expander) => findFor(db, orgId, expander, rows)));
  return rows.map((_row, at) =>
    Object.fromEntries(
      expanders.flatMap(({ name }, i) => {
        const record = found[i]!.get(at);
        return record === undefined ? [] : [[name, record]];
      }),
    ),
  );
}

/** Returns the related records by the positions of their rows. */
async function findFor(
  db: Db,
  orgId: string,
  { fields, target, find }: Expander,
  rows: readonly Row[],
): Promise<ReadonlyMap<number, unknown>> {
  const records = new Map<number, unknown>();
  const keys = rows.map((row) => fields.map((field) => row[field] ?? null));
  const places = Map.groupBy(keys.keys(), (at) => JSON.stringify(keys[at]));
  const given = [...places.values()].filter(([at]) => keys[at!]!.some((value) => value !== null));
  if (given.length === 0) return records;
  const columns = fields.map((_field, i) => given.map(([at]) => keys[at!]![i]));
  for (const { n, ...row } of await db.query(find, [orgId, ...columns])) {
    const record = toRecord(target, row);
    for (const at of given[n - 1]!) records.set(at, record);
  }
  return records;
}

const expandersOf = memoizePerTable((table): readonly Expander[] =>
  Object.entries(table.resource.expansions).map(([name, { plural }]) => {
    const { fields, id } = table.expansions[name]!;
    const target = recordTables.find((each) => each.name === plural)!;
    const find = statement<Row & { n: number }>(`${table.name}.expand_${name}`, findSql(table, target, { fields, id }));
    return { name, fields, target, find };
  }),
);

function findSql({ columns }: Table, target: Table, { fields, id }: { fields: readonly string[]; id: string }): string {
  const typeOf = (field: string) => columns.find(({ name }) => name === field)!.type;
  const given = fields.map((field, i) => `$${i + 2}::${typeOf(field)}[]`);
  const rows = `SELECT given.n::integer, ${selected(target)}
    FROM unnest(${given.join(', ')}) WITH ORDINALITY AS given (${fields.join(', ')}, n)
    JOIN ${target.name} r ON r.org_id = $1 AND r.id = ${id}`;
  return boundedSql(target, rows, { order: 'ORDER BY n', more: ['n'] });
}
