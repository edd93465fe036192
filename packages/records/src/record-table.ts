import { type Statement, statement } from '@relata/db';
import type { OperationSpec } from '@relata/schemas';

export type ColumnType =
  | 'text'
  | 'uuid'
  | 'text[]'
  | 'uuid[]'
  | 'numeric(19,4)'
  | 'timestamptz'
  | 'boolean'
  | 'integer';

export interface Column {
  name: string;
  type: ColumnType;
  /** Shown as `null` where it has no value; other columns are left out then. */
  isNullable?: boolean;
  /** Who may give it when records are created and changed; what nobody may give, the service sets. */
  writableBy?: 'everyone' | 'workflows';
}

/** By name, an SQL condition on the row `r` in which `$filter` stands for the value. */
type Conditions = Record<string, string>;

type BodySchema = NonNullable<OperationSpec['body']>;

export interface RecordTableSpec {
  name: string;
  columns: readonly Column[];
  /** Whether a few rows may be as large as a page: pages of such a table are always bounded by their bytes. */
  hasLargeRows?: boolean;
  /** How a list is narrowed. */
  filters?: Conditions;
  /** What workflows may look a record up by. */
  matches?: Conditions;
  /** What the fields of a new record, and of a change, must look like. */
  accepts?: { create: BodySchema; update?: BodySchema };
  /** Columns made from other tables, by name: an SQL expression in which `r` is the row. */
  derived?: Record<string, string>;
  /** The table that each field names rows of. */
  references?: Record<string, string>;
  /** A statement of its own where a record is more than one row. */
  insertSql?: string;
}

export type Row = Record<string, unknown>;

/** A table of records, and the statements that the shared queries need, made once from its description. */
export interface RecordTable<Rec> extends RecordTableSpec {
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

/** A column that those who create and change records may set. */
export const field = (name: string, type: ColumnType = 'text'): Column => ({ name, type, writableBy: 'everyone' });

/** Callers of the API read it; only workflows, which tie records to another CRM, write it. */
export const crmId: Column = { name: 'crm_id', type: 'text', writableBy: 'workflows' };

export const createdAndUpdated: Column[] = [
  { name: 'created_at', type: 'timestamptz', isNullable: true },
  { name: 'updated_at', type: 'timestamptz', isNullable: true },
];

export function recordTable<Rec>(spec: RecordTableSpec): RecordTable<Rec> {
  const shown = [{ name: 'id', type: 'uuid' } as const, ...spec.columns];
  const writable = spec.columns.filter(({ writableBy }) => writableBy === 'everyone');
  const writableByWorkflows = spec.columns.filter(({ writableBy }) => writableBy !== undefined);
  const statements = {
    find: statement<Row>(`${spec.name}.find`, findSql(spec)),
    insert: statement<Row>(`${spec.name}.insert`, spec.insertSql ?? insertSql(spec, writableByWorkflows)),
    update: statement<Row>(`${spec.name}.update`, updateSql(spec, writableByWorkflows)),
  };
  return { ...spec, shown, writable, writableByWorkflows, statements };
}

/** What a query of this table returns, as SQL. */
export function selected({ columns, derived = {} }: RecordTableSpec): string {
  return ['r.id', ...columns.map(({ name }) => (derived[name] ? `${derived[name]} AS ${name}` : `r.${name}`))].join(
    ', ',
  );
}

function findSql(spec: RecordTableSpec): string {
  return `SELECT ${selected(spec)} FROM ${spec.name} r WHERE r.org_id = $1 AND r.id = $2`;
}

/** Many rows at once, given as one JSON array of objects. */
function insertSql(spec: RecordTableSpec, writable: readonly Column[]): string {
  const types = writable.map(({ name, type }) => `${name} ${type}`);
  return `INSERT INTO ${spec.name} AS r (org_id, id, ${namesOf(writable)})
    SELECT org_id, id, ${valuesOf(writable)}
    FROM json_to_recordset($1::json) AS given (org_id uuid, id uuid, ${types.join(', ')})
    WHERE ${namesExist(spec)}
    RETURNING ${selected(spec)}`;
}

/**
 * A condition on the row `given`: all that it names is there. A foreign key that breaks would take the whole statement
 * with it, and all rows of other requests. LIMIT keeps each look-up on the primary key, whatever the planner knows of a
 * table that was empty when it looked.
 */
export function namesExist({ columns, references = {} }: Pick<RecordTableSpec, 'columns' | 'references'>): string {
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
function updateSql(spec: RecordTableSpec, writable: readonly Column[]): string {
  return `UPDATE ${spec.name} r
    SET (${namesOf(writable)}) = (SELECT ${valuesOf(writable)} FROM json_populate_record(r, $3::json)),
        updated_at = greatest(now(), r.updated_at + interval '1 millisecond')
    WHERE r.org_id = $1 AND r.id = $2
    RETURNING ${selected(spec)}`;
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
