import { type Statement, statement } from '@relata/db';
import type { RecordOf, Resource } from '@relata/schemas';
import { type Column, type Columns, columnsOf, type Row } from './record-column.ts';
import type { RecordRules } from '../writes/record-rules.ts';
import type { IndexedText } from './record-condition.ts';
import { changeSql } from './change.sql.ts';
import { insertSql } from './insert.sql.ts';
import type { WrittenTable } from './written-table.ts';

/** By name, an SQL condition on the row `r` in which `$filter` stands for the value. */
type Conditions<Name extends PropertyKey = string> = { readonly [Each in Name]: string };

/** By name, how a value is compared: by the index of a text, or by a condition. */
type Matches<Name extends PropertyKey = string> = { readonly [Each in Name]: IndexedText | string };

interface TableParts {
  /** True if a few rows may be as large as a page: pages of such a table are always bounded by their bytes. */
  hasLargeRows?: boolean;
  /** What holds between the fields of a record. */
  rules?: RecordRules;
  /** Inserts the rows `given` where a record is more than one row: see `WrittenTable`. */
  insertSql?: string;
}

/** What a declaration leaves open: where its fields are kept, and how they are found. */
interface TableSpec<R extends Resource> extends TableParts {
  columns: Columns<R>;
  /** How a list is narrowed. */
  filters: Conditions<keyof R['filters']>;
  /** What an upsert looks a record up by. */
  matches: Matches<keyof R['matches']>;
  /** Columns made from other tables, by name: an SQL expression in which `r` is the row. */
  derived?: Partial<Conditions<keyof R['fields']>>;
}

interface Described extends WrittenTable, TableParts {
  insertSql?: string;
  filters: Conditions;
  matches: Matches;
  derived: Conditions;
}

/** A table of records, and the statements that the shared queries need, made once from its description. */
export interface RecordTable<Rec> extends Described {
  resource: Resource;
  /** Every column as it is shown, in order. */
  shown: readonly Column[];
  /** The columns that hold times. */
  times: ReadonlySet<string>;
  /** What every caller may give. */
  writable: readonly Column[];
  /** What workflows may give: the same, and `crm_id` where the table has it. The statements write these. */
  writableByWorkflows: readonly Column[];
  statements: {
    find: Statement<Row>;
    /** Finds many, of any organizations; `n` is the position in what was given. */
    findMany: Statement<Row & { n: number }>;
    lock: Statement<Row>;
    insert: Statement<Row>;
    /** Of a record that somebody else has locked: `change` waits, `changeUnlocked` leaves it out. */
    change: Statement<Row>;
    changeUnlocked: Statement<Row>;
  };
  /** Only a type: what one record is. */
  record?: Rec;
}

/** The table of a resource. */
export function recordTable<R extends Resource>(resource: R, spec: TableSpec<R>): RecordTable<RecordOf<R>> {
  const { plural: name, references } = resource;
  const columns = columnsOf(resource, spec.columns);
  const { derived = {} } = spec as { derived?: Conditions };
  const matches = spec.matches as Matches;
  const table: Described = { ...spec, name, eventName: resource.eventName, columns, references, matches, derived };
  const shown: Column[] = [{ name: 'id', type: 'uuid' }, ...columns];
  const writable = columns.filter(({ writableBy }) => writableBy === 'everyone');
  const writableByWorkflows = columns.filter(({ writableBy }) => writableBy !== undefined);
  const times = new Set(shown.filter(({ type }) => type === 'timestamptz').map((column) => column.name));
  const changing = (skipsLocked: boolean) => changeSql(table, writableByWorkflows, shown, { skipsLocked });
  const statements = {
    find: statement<Row>(`${name}.find`, findSql(table)),
    findMany: statement<Row & { n: number }>(`${name}.find_many`, findManySql(table)),
    lock: statement<Row>(`${name}.lock`, lockSql(table)),
    insert: statement<Row>(`${name}.insert`, insertSql(table, writableByWorkflows, shown)),
    change: statement<Row>(`${name}.change`, changing(false)),
    changeUnlocked: statement<Row>(`${name}.change_unlocked`, changing(true)),
  };
  return { ...table, resource, shown, times, writable, writableByWorkflows, statements };
}

/** What a query of this table returns, as SQL. */
export function selected({ columns, derived }: Pick<Described, 'columns' | 'derived'>): string {
  return ['r.id', ...columns.map(({ name }) => (derived[name] ? `${derived[name]} AS ${name}` : `r.${name}`))].join(
    ', ',
  );
}

function findSql(table: Described): string {
  return `SELECT ${selected(table)} FROM ${table.name} r WHERE r.org_id = $1 AND r.id = $2`;
}

function findManySql(table: Described): string {
  return `SELECT given.n::integer, ${selected(table)}
    FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS given (org_id, id, n)
    JOIN ${table.name} r ON r.org_id = given.org_id AND r.id = given.id`;
}

function lockSql({ name }: Described): string {
  return `SELECT FROM ${name} WHERE org_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR NO KEY UPDATE`;
}

/** A row as the API shows it: what has no value is left out, or `null` where the description says so. */
export function toRecord<Rec>(table: RecordTable<Rec>, row: Row): Rec {
  const record: Row = {};
  for (const { name, isNullable } of table.shown) {
    const value = row[name];
    if (value !== null || isNullable) record[name] = value;
  }
  return record as Rec;
}

/** Something that each table has one of, made when it is first asked for. */
export function perTable<Value>(make: (table: RecordTable<unknown>) => Value): (table: RecordTable<unknown>) => Value {
  const made = new WeakMap<RecordTable<unknown>, Value>();
  return (table) => {
    let value = made.get(table);
    if (value === undefined) made.set(table, (value = make(table)));
    return value;
  };
}
