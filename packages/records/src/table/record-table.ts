import { type Statement, statement, type UnitDb } from '@relata/db';
import type { Actor } from '@relata/events';
import type { RecordOf, Resource } from '@relata/schemas';
import { type Column, createColumns, type Row } from './record-column.ts';
import type { Comparison, IndexedText } from './record-condition.ts';
import { linkedIds, type LinkTable } from './link-table.ts';
import type { ValueTable } from './value-table.ts';

/** Context of a call to a rule. */
export interface RuleContext {
  db: UnitDb;
  actor: Actor;
  orgId: string;
  table: RecordTable<unknown>;
}

/**
 * Validation across several fields of a record, or across several records, for every kind of write. A rule completes
 * the given fields, or throws if they contradict each other. Its locks are held until the unit ends.
 */
export interface RecordRules {
  /** Takes locks for a transaction that writes many records, before it locks any of them. */
  lockMany?(db: UnitDb, on: Pick<RuleContext, 'orgId'>): Promise<void>;
  /** Called for new records that have one of `fields`, or for all of them if `fields` is undefined. */
  create?: { fields?: readonly string[]; complete: (on: RuleContext, given: Row) => Promise<Row> };
  update?: UpdateRule;
}

/** Rules for patches that set one of `fields`. */
interface UpdateRule {
  fields: readonly string[];
  /**
   * Takes locks that other writers take before they lock the record. `values` are the values that the record may get.
   */
  lock?(on: RuleContext, id: string, values: Row): Promise<unknown>;
  /** Called with the locked record, or with an empty one if it does not exist. */
  complete(on: RuleContext, record: Row, patch: Row): Promise<Row>;
  /** Throws for conflicts with other records, after the version of the record has been checked. */
  approve?(on: RuleContext, record: Row, patch: Row): Promise<void>;
  /** Changes other records after this record has changed. */
  follow?(on: RuleContext, record: Row, changed: Row): Promise<void>;
}

/** SQL conditions on the row `r` by name; `$filter` stands for the value. */
type Conditions<Name extends PropertyKey = string> = { readonly [Each in Name]: string };

/** Conditions for a value by name: an indexed text, or SQL. */
type Matches<Name extends PropertyKey = string> = { readonly [Each in Name]: IndexedText | string };

/** Parts of a table that are copied unchanged from its description. */
interface TableParts {
  /** True if a few rows can fill a page. Pages of such a table are always limited in bytes. */
  hasLargeRows?: boolean;
  /** Validation across several fields of a record. */
  rules?: RecordRules;
  /**
   * SQL for a record that spans several rows: the parts of a WITH clause that insert the rows `given`. They end with
   * `inserted`, which has the columns as shown.
   */
  insertedParts?: string;
}

/** Ways to compare records to find duplicates, by name. */
type Comparisons<Name extends PropertyKey = string> = { readonly [Each in Name]: Comparison };

/** The comparisons that a table must define, if its resource names any. */
type Compared<R extends Resource> = R extends { comparisons: Readonly<Record<infer Name, string>> }
  ? { comparisons: Comparisons<Name> }
  : unknown;

/** The parts of a table that its resource does not define, such as the SQL conditions of its filters. */
type TableSpec<R extends Resource> = BaseTableSpec<R> & Compared<R>;

interface BaseTableSpec<R extends Resource> extends TableParts {
  /** Conditions for the filters of a list. */
  filters: Conditions<keyof R['filters']>;
  /** Conditions for the fields by which an upsert finds a record. */
  matches: Matches<keyof R['matches']>;
  /** Lists of ids that are rows of other tables, by name. */
  linkTables?: { readonly [Name in keyof R['fields']]?: LinkTable };
  /** Tables with the values of lists, by the name of the list. */
  valueTables?: { readonly [Name in keyof R['fields']]?: ValueTable };
  /** SQL by which `expand` finds related records whose id is in no field. */
  expansions?: Readonly<Record<string, ExpansionSql>>;
}

/** SQL for the id of a related record. */
interface ExpansionSql {
  /** Fields that the id depends on. */
  fields: readonly string[];
  /** Expression with these fields as columns of the row `given`, and the organization as `$1`. */
  id: string;
}

/** A table of records with the statements that the shared queries need, created once from its description. */
export interface RecordTable<Rec> extends TableParts {
  resource: Resource;
  name: string;
  /** Name in the types of its events: `account` in `account.created`. */
  eventName: string;
  /** The table that each field refers to. */
  references: Readonly<Record<string, string>>;
  columns: readonly Column[];
  /** Columns computed from other tables, by name: SQL expressions in which `r` is the row. */
  derived: Conditions;
  filters: Conditions;
  matches: Matches;
  comparisons: Comparisons;
  linkTables: Readonly<Record<string, LinkTable>>;
  valueTables: Readonly<Record<string, ValueTable>>;
  expansions: Readonly<Record<string, ExpansionSql>>;
  /** All columns in the order in which they are shown. */
  shown: readonly Column[];
  /** Names of the columns that hold times. */
  times: ReadonlySet<string>;
  /** Columns that every caller may set in every write. */
  writable: readonly Column[];
  /**
   * Columns that workflows and upserts of the API may set, including `crm_id` if the table has it. The statements write
   * all of these.
   */
  writableByWorkflows: readonly Column[];
  statements: {
    find: Statement<Row>;
    /** Finds many records of one or more organizations; `n` is the position in the input. */
    findMany: Statement<Row & { n: number }>;
    lock: Statement<Row>;
    /** Like `findMany`, and locks the records. `tryLockMany` skips a record that another transaction has locked. */
    lockMany: Statement<Row & { n: number }>;
    tryLockMany: Statement<Row & { n: number }>;
  };
  /** Never set; only carries the type of a record. */
  record?: Rec;
}

/** Records of one table. */
export interface RecordGroup {
  table: RecordTable<unknown>;
  ids: readonly string[];
}

export function recordTable<R extends Resource>(resource: R, spec: TableSpec<R>): RecordTable<RecordOf<R>> {
  const { plural: name, eventName, references } = resource;
  const { linkTables = {}, valueTables = {}, comparisons = {} } = spec as Partial<RecordTable<unknown>>;
  const columns = createColumns(resource);
  const derived = Object.fromEntries(Object.entries(linkTables).map(([field, each]) => [field, linkedIds(each)]));
  const shown: Column[] = [{ name: 'id', type: 'uuid' }, ...columns];
  const statementOf = <Found>(verb: string, sql: string) => statement<Found>(`${name}.${verb}`, sql);
  const source = { name, columns, derived };
  const lockMany = lockManySql(source);
  return {
    ...spec,
    ...source,
    resource,
    eventName,
    references,
    linkTables,
    valueTables,
    comparisons,
    matches: spec.matches as Matches,
    expansions: allExpansions(resource, spec.expansions),
    shown,
    times: new Set(shown.filter(({ type }) => type === 'timestamptz').map((column) => column.name)),
    writable: columns.filter(({ writableBy }) => writableBy === 'everyone'),
    writableByWorkflows: columns.filter(({ writableBy }) => writableBy !== undefined),
    statements: {
      find: statementOf('find', `SELECT ${selected(source)} FROM ${name} r WHERE r.org_id = $1 AND r.id = $2`),
      findMany: statementOf('find_many', findManySql(source)),
      lock: statementOf(
        'lock',
        `SELECT FROM ${name} WHERE org_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR NO KEY UPDATE`,
      ),
      lockMany: statementOf('lock_many', lockMany),
      tryLockMany: statementOf('try_lock_many', `${lockMany} SKIP LOCKED`),
    },
  };
}

/** Returns the SQL by which `expand` finds each related record: the SQL of the table, or else the field with the id. */
function allExpansions({ plural, expansions }: Resource, given: RecordTable<unknown>['expansions'] = {}) {
  const entries = Object.entries(expansions).map(([name, { field }]) => {
    const sql = given[name] ?? (field && { fields: [field], id: `given.${field}` });
    if (!sql) throw new Error(`The table of ${plural} has no SQL for the expansion ${name}.`);
    return [name, sql] as const;
  });
  return Object.fromEntries(entries);
}

type Source = Pick<RecordTable<unknown>, 'name' | 'columns' | 'derived'>;

/** Returns SQL for the columns of a query on this table. */
export function selected({ columns, derived }: Source): string {
  return ['r.id', ...columns.map(({ name }) => (derived[name] ? `${derived[name]} AS ${name}` : `r.${name}`))].join(
    ', ',
  );
}

function findManySql(table: Source): string {
  return `SELECT given.n::integer, ${selected(table)}
    FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS given (org_id, id, n)
    JOIN ${table.name} r ON r.org_id = given.org_id AND r.id = given.id`;
}

/** Returns SQL that locks records in the order of their ids, so that two transactions cannot deadlock. */
function lockManySql(table: Source): string {
  return `${findManySql(table)} ORDER BY r.org_id, r.id FOR NO KEY UPDATE OF r`;
}

/**
 * Converts a row to a record of the API: a missing value is left out, or `null` if the column is nullable. Lists of
 * optional fields are left out if they are empty.
 */
export function toRecord<Rec>(table: RecordTable<Rec>, row: Row): Rec {
  const record: Row = {};
  for (const { name, isNullable, isOmittedIfEmpty } of table.shown) {
    const value = row[name];
    if (isOmittedIfEmpty && !(value as readonly unknown[] | undefined)?.length) continue;
    if (value !== null || isNullable) record[name] = value;
  }
  return record as Rec;
}

/** Returns a function that creates a value for each table on first use, and then reuses it. */
export function memoizePerTable<Value>(
  make: (table: RecordTable<unknown>) => Value,
): (table: RecordTable<unknown>) => Value {
  const made = new WeakMap<RecordTable<unknown>, Value>();
  return (table) => made.getOrInsertComputed(table, make);
}
