import { firstIdAt } from '@relata/db';
import { type ListFilter, listFilters, searchParameter } from '@relata/schemas';
import { z } from 'zod';
import { textKey } from '../indexes/list-key.sql.ts';
import { idsCondition, tagsCondition, wordsCondition } from '../indexes/words.sql.ts';
import { type ColumnType, isList } from '../table/record-column.ts';
import { perTable, type RecordTable } from '../table/record-table.ts';

type Table = RecordTable<unknown>;
type Query = Readonly<Record<string, unknown>>;

/** A condition on the row `r`. `$filter` stands for the value, if it needs one. */
export interface Condition {
  sql: string;
  value?: unknown;
  /** Least id that a matching record can have. */
  idMin?: string;
  /** Field of a condition that an index on this field alone answers. */
  field?: string;
  /** True if that index has the matching records in the order of their ids. */
  isInIdOrder?: boolean;
}

/** Key by which a list is sorted, beside the id. */
export interface SortKey {
  /** The key of the row `r`. */
  sql: string;
  /** Type of the key, for the text of it in a cursor. */
  type: string;
  isNullable: boolean;
}

/** Returns true if a query has a filter that lists have not always had. */
export function hasNewFilter(table: Table, query: Query): boolean {
  return filterNames(table, query).some((name) => !Object.hasOwn(table.filters, name));
}

/** Returns the names of all filters in a query, always in the same order. */
export function filterNames(table: Table, query: Query): string[] {
  return allFilterNames(table).filter((name) => query[name] !== undefined);
}

const allFilterNames = perTable(({ filters, resource: { list } }) => [
  ...Object.keys(filters),
  ...listFilters(list).keys(),
  searchParameter,
]);

/** Returns the conditions of a query. */
export function listConditions(table: Table, query: Query): Condition[] {
  const filters = listFilters(table.resource.list);
  return filterNames(table, query).map((name) => {
    const value = query[name];
    if (name === searchParameter) return { sql: wordsCondition(table), value };
    const filter = filters.get(name);
    if (!filter)
      return { sql: table.filters[name]!, value, ...orderOf(table, { field: name, operator: 'equals' }, value) };
    return { ...conditionOf(table, filter, value), ...orderOf(table, filter, value) };
  });
}

/** Returns how the index of a filter orders the records; indexes of lists and links have no order. */
function orderOf(table: Table, { field, operator }: Omit<ListFilter, 'name'>, value: unknown): Partial<Condition> {
  const type = columnTypes(table).get(field);
  if (type === undefined || isList(type)) return {};
  return { field, isInIdOrder: operator === 'equals' || (operator === 'exists' && value === 'false') };
}

/** Values of a statement; the first is the organization. */
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

/** Returns SQL for the matching rows `r`, after FROM. */
export function matchingSql(
  table: Table,
  query: Query,
  values: Values,
  conditions: readonly Condition[] = listConditions(table, query),
): string {
  return `${table.name} r WHERE r.org_id = $1 AND ${allSql(conditions, values)}`;
}

/** Returns SQL for the rows `r` that meet all conditions. */
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
  return type === 'text'
    ? { sql: textKey(`r.${field}`), type: 'text', isNullable }
    : { sql: `r.${field}`, type, isNullable };
}

const comparisons = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

function conditionOf(table: Table, { field, operator }: ListFilter, value: unknown): Condition {
  const column = `r.${field}`;
  switch (operator) {
    case 'equals':
    case 'in':
      return { sql: sameSql(table, field, operator === 'in'), value };
    case 'any':
      return { sql: tagsCondition(field, '&&'), value };
    case 'all':
      return { sql: tagsCondition(field, '@>'), value };
    case 'prefix':
      return { sql: `${textKey(column)} ^@ lower($filter)`, value };
    case 'exists':
      return { sql: `${column} IS ${value === 'true' ? 'NOT NULL' : 'NULL'}` };
    default:
      return {
        sql: `${column} ${comparisons[operator]} $filter::${columnType(table, field)}`,
        value,
        ...(field === 'created_at' && operator.startsWith('g') && { idMin: idBefore(value as string) }),
      };
  }
}

const clocksDifferMs = 3_600_000;

/** Returns an id that is less than those of all records that were created at this time or later. */
const idBefore = (time: string) => firstIdAt(Date.parse(time) - clocksDifferMs);

/** Returns a condition for one value or, with `isMany`, for one of several. */
function sameSql(table: Table, field: string, isMany: boolean): string {
  const type = columnTypes(table).get(field);
  if (type === undefined) return linkSql(table, field, isMany);
  const column = `r.${field}`;
  if (type !== 'text' || isEnum(table, field))
    return isMany ? `${column} = ANY ($filter::${type}[])` : `${column} = $filter::${type}`;
  const isExact = field === 'crm_id';
  const compared = (text: string) => (isExact ? text : `lower(${text})`);
  const isKey = table.resource.list.sorts?.includes(field);
  const indexed = (text: string) => (isKey ? textKey(text) : `hashtextextended(${compared(text)}, 0)`);
  return [indexed, compared].map((of) => `${of(column)} = ${isMany ? anyOf(of) : of('$filter::text')}`).join(' AND ');
}

const anyOf = (of: (text: string) => string) => `ANY (ARRAY(SELECT ${of('given')} FROM unnest($filter::text[]) given))`;

/** Returns a condition for the records whose list of ids has one: `contact_id` for `contact_ids`. */
function linkSql({ filters, columns }: Table, field: string, isMany: boolean): string {
  const ids = isMany ? '$filter::uuid[]' : 'ARRAY[$filter::uuid]';
  const stored = filters[field];
  // Links in a table of their own have a condition already.
  if (stored) return stored.replace('= $filter::uuid', `= ANY (${ids})`);
  const column = columns.find(({ name }) => name === `${field}s`);
  if (!column) throw new Error(`There is no column for the filter ${field}.`);
  return idsCondition(column.name, ids);
}

const columnTypes = perTable(
  ({ shown }): ReadonlyMap<string, ColumnType> => new Map(shown.map(({ name, type }) => [name, type])),
);

function columnType(table: Table, field: string): ColumnType {
  const type = columnTypes(table).get(field);
  if (type === undefined) throw new Error(`There is no column ${field} in ${table.name}.`);
  return type;
}

const isEnum = ({ resource }: Table, field: string) => resource.fields[field]?.schema instanceof z.ZodEnum;
