import { type Statement, statement } from '@relata/db';
import type { RecordOf, Resource } from '@relata/schemas';
import { type Column, type Columns, columnsOf, type Row } from './record-column.ts';
import type { RecordRules, ReferringTable } from '../writes/record-rules.ts';

/** By name, an SQL condition on the row `r` in which `$filter` stands for the value. */
type Conditions<Name extends PropertyKey = string> = { readonly [Each in Name]: string };

interface TableParts {
  /** True if a few rows may be as large as a page: pages of such a table are always bounded by their bytes. */
  hasLargeRows?: boolean;
  /** What holds between the fields of a record. */
  rules?: RecordRules;
  /** A statement of its own where a record is more than one row; given the condition of `namesExist`. */
  insertSql?: (namesExist: string) => string;
}

/** What a declaration leaves open: where its fields are kept, and how they are found. */
interface TableSpec<R extends Resource> extends TableParts {
  columns: Columns<R>;
  /** How a list is narrowed. */
  filters: Conditions<keyof R['filters']>;
  /** What workflows may look a record up by. */
  matches?: Partial<Conditions<keyof R['fields'] | 'id' | 'crm_id'>>;
  /** Columns made from other tables, by name: an SQL expression in which `r` is the row. */
  derived?: Partial<Conditions<keyof R['fields']>>;
}

interface Described extends ReferringTable, TableParts {
  columns: readonly Column[];
  filters: Conditions;
  matches: Conditions;
  derived: Conditions;
}

/** A table of records, and the statements that the shared queries need, made once from its description. */
export interface RecordTable<Rec> extends Described {
  resource: Resource;
  /** Every column as it is shown, in order. */
  shown: readonly Column[];
  /** What every caller may give. */
  writable: readonly Column[];
  /** What workflows may give: the same, and `crm_id` where the table has it. The statements write these. */
  writableByWorkflows: readonly Column[];
  statements: {
    find: Statement<Row>;
    insert: Statement<Row>;
    update: Statement<Row>;
  };
  /** Only a type: what one record is. */
  record?: Rec;
}

/** The table of a resource. */
export function recordTable<R extends Resource>(resource: R, spec: TableSpec<R>): RecordTable<RecordOf<R>> {
  const { plural: name, references } = resource;
  const columns = columnsOf(resource, spec.columns);
  const { matches = {}, derived = {} } = spec as { matches?: Conditions; derived?: Conditions };
  const table: Described = { ...spec, name, columns, references, matches, derived };
  const writable = columns.filter(({ writableBy }) => writableBy === 'everyone');
  const writableByWorkflows = columns.filter(({ writableBy }) => writableBy !== undefined);
  const statements = {
    find: statement<Row>(`${name}.find`, findSql(table)),
    insert: statement<Row>(`${name}.insert`, insertSql(table, writableByWorkflows)),
    update: statement<Row>(`${name}.update`, updateSql(table, writableByWorkflows)),
  };
  return {
    ...table,
    resource,
    shown: [{ name: 'id', type: 'uuid' }, ...columns],
    writable,
    writableByWorkflows,
    statements,
  };
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

/** Many rows at once, given as one JSON array of objects. */
function insertSql(table: Described, writable: readonly Column[]): string {
  if (table.insertSql) return table.insertSql(namesExist(table));
  const types = writable.map(({ name, type }) => `${name} ${type}`);
  return `INSERT INTO ${table.name} AS r (org_id, id, ${namesOf(writable)})
    SELECT org_id, id, ${valuesOf(writable)}
    FROM json_to_recordset($1::json) AS given (org_id uuid, id uuid, ${types.join(', ')})
    WHERE ${namesExist(table)}
    RETURNING ${selected(table)}`;
}

/**
 * A condition on the row `given`: all that it names is there. A foreign key that breaks would take the whole statement
 * with it, and all rows of other requests. LIMIT keeps each look-up on the primary key, whatever the planner knows of a
 * table that was empty when it looked.
 */
function namesExist({ columns, references }: Described): string {
  const conditions = Object.entries(references).map(([name, target]) => {
    const isList = columns.find((column) => column.name === name)?.type === 'uuid[]';
    const found = (id: string) =>
      `(SELECT true FROM ${target} t WHERE t.org_id = given.org_id AND t.id = ${id} LIMIT 1)`;
    return isList
      ? `NOT EXISTS (SELECT FROM unnest(given.${name}) AS named (id) WHERE ${found('named.id')} IS NULL)`
      : `(given.${name} IS NULL OR ${found(`given.${name}`)})`;
  });
  return ['true', ...conditions].join(' AND ');
}

/**
 * A merge patch in one statement: PostgreSQL lays the patch over the row. The time of change always moves on, so
 * that a client can tell by it.
 */
function updateSql(table: Described, writable: readonly Column[]): string {
  return `UPDATE ${table.name} r
    SET (${namesOf(writable)}) = (SELECT ${valuesOf(writable)} FROM json_populate_record(r, $3::json)),
        updated_at = greatest(now(), r.updated_at + interval '1 millisecond')
    WHERE r.org_id = $1 AND r.id = $2
    RETURNING ${selected(table)}`;
}

function namesOf(columns: readonly Column[]): string {
  return columns.map(({ name }) => name).join(', ');
}

/** A list without a value is empty. */
function valuesOf(columns: readonly Column[]): string {
  return columns.map(({ name, type }) => (type === 'text[]' ? `coalesce(${name}, '{}')` : name)).join(', ');
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
