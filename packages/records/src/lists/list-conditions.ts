import { firstIdAt } from '@relata/db';
import { type ListFilter, listFilters, searchParameter } from '@relata/schemas';
import { fieldKey } from '../indexes/field-key.ts';
import { textKey } from '../indexes/list-key.sql.ts';
import { comparedWords, idsCondition, rowsWithWords, wordsCondition } from '../indexes/words.sql.ts';
import { type ColumnType, isList } from '../table/record-column.ts';
import { isLinkedTo } from '../table/link-table.ts';
import { memoizePerTable, type RecordTable } from '../table/record-table.ts';
import { havingAll, havingAny, havingOne } from '../table/value-table.ts';

type Table = RecordTable<unknown>;
export type Query = Readonly<Record<string, unknown>>;

/** A condition on the row `r`. `$filter` stands for the value, if the condition needs one. */
export interface Condition {
  sql: string;
  /** SQL with the same result, for records that are read anyway. It is faster, but cannot use an index. */
  compared?: string;
  value?: unknown;
  /** An id lower than the ids of all matching records. */
  idMin?: string;
  /**
   * SQL to put after FROM, for rows `r` of another table: one per matching record, with its id. This SQL finds the
   * matches, while `sql` only tests records that have been read.
   */
  ids?: string;
  /** SQL to put after FROM, for the matching rows `r`. Other conditions are added with AND. */
  rows?: string;
  /**
   * Field of the index that answers the condition; undefined for words, links and several tags, whose matches have no
   * order.
   */
  indexedField?: string;
  /** True if that index has the matching records in the order of their ids. */
  isInIdOrder?: boolean;
}

/** Key by which a list is sorted, before the id. */
export interface SortKey {
  /** SQL for the key of the row `r`. */
  sql: string;
  /** Type of the key; the text of a key in a cursor is cast to it. */
  type: string;
  isNullable: boolean;
}

/** Returns true if a query has a filter other than those of the contract, which are in `table.filters`. */
export function hasNewFilter(table: Table, query: Query): boolean {
  return filterNames(table, query).some((name) => !Object.hasOwn(table.filters, name));
}

/** Returns the names of all filters in a query, always in the same order. */
export function filterNames(table: Table, query: Query): string[] {
  return allFilterNames(table).filter((name) => query[name] !== undefined);
}

/** Names of all filters of a list; those of the contract come first. */
export const allFilterNames = memoizePerTable(({ filters, resource: { list } }) => [
  ...Object.keys(filters),
  ...listFilters(list).keys(),
  ...(list.search ? [searchParameter] : []),
]);

/** Returns the conditions of a query. */
export function listConditions(table: Table, given: Query): Condition[] {
  const query = withOneList(table, given);
  const filters = listFilters(table.resource.list);
  return filterNames(table, query).map((name) => {
    const value = query[name];
    if (name === searchParameter) {
      return { sql: wordsCondition(table), compared: comparedWords(table), value, rows: rowsWithWords(table) };
    }
    const filter = filters.get(name);
    if (!filter) return { sql: table.filters[name]!, value, ...orderOf(table, { field: name, operator: 'equals' }) };
    return { ...orderOf(table, filter), ...conditionOf(table, filter, value) };
  });
}

/**
 * Adds the value of `[any]` to those of `[all]` if it is a single value. One condition then has all tags that a record
 * must have, so that only the records of the rarest tag are read.
 */
function withOneList({ valueTables }: Table, query: Query): Query {
  const field = Object.keys(valueTables).find((each) => query[`${each}[any]`] !== undefined);
  const [any, all] = ['any', 'all'].map((each) => query[`${field}[${each}]`] as readonly string[] | undefined);
  if (!any || !all || new Set(any).size > 1) return query;
  return { ...query, [`${field}[any]`]: undefined, [`${field}[all]`]: [...all, ...any] };
}

/**
 * Returns the field of a filter's index, and whether the index has the matches in the order of their ids. PostgreSQL
 * uses this order among records with the same value, but not among records without a value.
 */
function orderOf(table: Table, { field, operator }: Omit<ListFilter, 'name'>): Partial<Condition> {
  const type = columnTypes(table).get(field);
  if (type === undefined || isList(type)) return {};
  return { indexedField: field, isInIdOrder: operator === 'equals' };
}

/** Parameters of a statement; the first is the organization. */
export class Values {
  readonly all: unknown[];

  constructor(orgId: string) {
    this.all = [orgId];
  }

  /** Returns the placeholder of a value. */
  add(value: unknown): string {
    this.all.push(value);
    return `$${this.all.length}`;
  }
}

/** Returns SQL that joins a row with the record `r` of the same id, always by the primary key. */
export const recordOf = ({ name }: Pick<Table, 'name'>, row: string) =>
  `CROSS JOIN LATERAL (SELECT r.* FROM ${name} r WHERE r.org_id = $1 AND r.id = ${row}.id LIMIT 1) r`;

/** Returns one condition for all `conditions`, to test rows `r` that are read anyway. */
export const comparedSql = (conditions: readonly Condition[], values: Values) =>
  allSql(
    conditions.map((each) => ({ ...each, sql: each.compared ?? each.sql })),
    values,
  );

/** Returns one condition for all `conditions` on the row `r`. */
export function allSql(conditions: readonly Condition[], values: Values): string {
  const all = conditions.map(({ sql, value }) =>
    value === undefined ? sql : sql.replaceAll('$filter', values.add(value)),
  );
  return all.map((each) => `(${each})`).join(' AND ') || 'true';
}

/** Returns the key of a list that is sorted by a field. */
export function sortKey(table: Table, field: string): SortKey {
  const type = columnType(table, field);
  const kind = table.resource.fields[field]?.kind;
  const isNullable = kind === 'optional' || kind === 'nullable';
  return { sql: fieldKey(table, field).indexed(`r.${field}`), type, isNullable };
}

const rangeOperators = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

function conditionOf(table: Table, { field, operator }: ListFilter, value: unknown): Condition {
  const column = `r.${field}`;
  switch (operator) {
    case 'equals':
    case 'in':
      return { sql: sameSql(table, field, operator === 'in'), value };
    case 'any':
    case 'all':
      return valuesCondition(table, field, [...new Set(value as string[])], operator);
    case 'prefix':
      return { sql: `${textKey(column)} ^@ lower($filter)`, value };
    case 'exists':
      return { sql: `${column} IS ${value === 'true' ? 'NOT NULL' : 'NULL'}` };
    default:
      return {
        sql: `${column} ${rangeOperators[operator]} $filter::${columnType(table, field)}`,
        value,
        ...(field === 'created_at' && operator.startsWith('g') && { idMin: idBefore(value as string) }),
      };
  }
}

/** Returns a condition that the list of a record has one of these values, or all of them. */
function valuesCondition(
  { valueTables, name }: Table,
  field: string,
  values: readonly string[],
  operator: 'any' | 'all',
): Condition {
  const table = valueTables[field];
  if (!table) throw new Error(`There is no table with the values of ${name}.${field}.`);
  if (values.length === 1) {
    const sql = `$filter::text = ANY (r.${field})`;
    return { sql, value: values[0], ids: havingOne(table, '$filter::text'), indexedField: field, isInIdOrder: true };
  }
  return operator === 'any'
    ? { sql: `r.${field} && $filter::text[]`, value: values, ids: havingAny(table, '$filter::text[]') }
    : { sql: `r.${field} @> $filter::text[]`, value: values, ids: havingAll(table, '$filter::text[]', values.length) };
}

const clocksDifferMs = 3_600_000;

/** Returns an id lower than the ids of all records that were created at this time or later. */
const idBefore = (time: string) => firstIdAt(Date.parse(time) - clocksDifferMs);

/** Returns a condition that a field has a value or, with `isMany`, one of several values. */
function sameSql(table: Table, field: string, isMany: boolean): string {
  const type = columnTypes(table).get(field);
  if (type === undefined) return linkSql(table, field, isMany);
  const { indexed, compared } = fieldKey(table, field);
  if (!compared) return isMany ? `r.${field} = ANY ($filter::${type}[])` : `r.${field} = $filter::${type}`;
  return [indexed, compared]
    .map((of) => `${of(`r.${field}`)} = ${isMany ? anyOf(of) : of('$filter::text')}`)
    .join(' AND ');
}

const anyOf = (of: (text: string) => string) => `ANY (ARRAY(SELECT ${of('given')} FROM unnest($filter::text[]) given))`;

/** Returns a condition that a list of ids has an id, such as for the filter `contact_id` on `contact_ids`. */
function linkSql({ linkTables, columns }: Table, field: string, isMany: boolean): string {
  const list = `${field}s`;
  const ids = isMany ? '$filter::uuid[]' : 'ARRAY[$filter::uuid]';
  const links = linkTables[list];
  if (links) return isLinkedTo(links, (column) => `${column} = ANY (${ids})`);
  if (!columns.some(({ name }) => name === list)) throw new Error(`There is no column for the filter ${field}.`);
  return idsCondition(list, ids);
}

const columnTypes = memoizePerTable(
  ({ shown }): ReadonlyMap<string, ColumnType> => new Map(shown.map(({ name, type }) => [name, type])),
);

function columnType(table: Table, field: string): ColumnType {
  const type = columnTypes(table).get(field);
  if (type === undefined) throw new Error(`There is no column ${field} in ${table.name}.`);
  return type;
}
