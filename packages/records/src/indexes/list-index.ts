import { searchParameter } from '@relata/schemas';
import { recordTables } from '../record-tables.ts';
import { isList } from '../table/record-column.ts';
import type { RecordTable } from '../table/record-table.ts';
import type { ValueTable } from '../table/value-table.ts';
import { fieldKey } from './field-key.ts';
import { hasValues, textKey, wordsKey } from './list-key.sql.ts';

type Table = RecordTable<unknown>;

/**
 * An index of a sort or a filter of lists, or of a comparison. It is built while the apps run, so no migration creates
 * it.
 */
export interface ListIndex {
  /** Name that operators use: the list and the column, such as `contacts.last_name`. */
  name: string;
  /** Name in PostgreSQL. */
  index: string;
  /**
   * List field whose values are in the indexed table. Until that table has the values of all records, the index has the
   * name `unfilled`.
   */
  valuesOf?: { records: string; list: string; values: ValueTable; unfilled: string };
  /** SQL after `CREATE INDEX … ON`: table, method, keys and condition. */
  sql: string;
  /** True if `relata migrate` builds the index. */
  isDefault: boolean;
}

/**
 * A field that every PATCH changes. With an index on it, each PATCH would have to write to all indexes of the table.
 */
const notByDefault = 'updated_at';

/** Returns true if `relata migrate` builds the index of a field. */
export const isIndexedByDefault = (field: string) => field !== notByDefault;

/** Returns the index for a sort or filter by a field, or for `q`; undefined if a migration has created it. */
export function indexOf(table: Table, field: string): ListIndex | undefined {
  if (field === searchParameter) return wordsIndex(table);
  const column = columnOf(table, field);
  if (!column) return undefined;
  const { name, type } = column;
  const values = table.valueTables[name];
  if (values) return valuesIndex(table, name, values);
  if (isList(type)) return ginIndex(table, name, name, hasValues(name));
  if (isMigrated(table, name)) return undefined;
  const key = fieldKey(table, name).indexed(name);
  // The index includes the text itself, so that an index-only scan finds and counts the matches of a prefix.
  const included = key === textKey(name) ? ` INCLUDE (${name})` : '';
  return newIndex(table, name, `btree (org_id, ${key}, id)${included}`);
}

/** Returns the stored column of a field. The column of the filter `contact_id` is `contact_ids`. */
function columnOf({ columns, derived }: Table, field: string) {
  return columns.find(({ name }) => (name === field || name === `${field}s`) && !derived[name]);
}

/**
 * Returns true if a migration has created the index of a field: the field is a contract filter or a match, and no list
 * can be sorted by it.
 */
function isMigrated({ filters, matches, resource }: Table, field: string): boolean {
  return (Object.hasOwn(filters, field) || Object.hasOwn(matches, field)) && !resource.list.sorts?.includes(field);
}

/**
 * Maximum size of the pending list of a GIN index, in kilobytes. New entries are collected there and inserted together,
 * which makes a write a third cheaper. Searches read all pending entries, and the write that exceeds the limit inserts
 * them. That takes some milliseconds for 256 KB, and more than half a second for PostgreSQL's default of 4 MB.
 */
const pendingKilobytes = 256;

function ginIndex(table: Table, name: string, key: string, condition?: string): ListIndex {
  const where = condition ? ` WHERE ${condition}` : '';
  return newIndex(table, name, `gin (${key}) WITH (gin_pending_list_limit = ${pendingKilobytes})${where}`);
}

/**
 * Returns the index for `q`. Its name in PostgreSQL ends with `_by_search`, since `_by_words` is the index of older
 * releases.
 */
function wordsIndex(table: Table): ListIndex {
  const index = ginIndex(table, 'search', wordsKey(table.resource.list.search ?? []));
  return { ...index, name: `${table.name}.words` };
}

/** Returns the index that has, for each value, the ids of its records in order. */
function valuesIndex({ name: records }: Table, list: string, values: ValueTable): ListIndex {
  const { name, value } = values;
  return {
    name: `${records}.${list}`,
    index: `${name}_by_${value}`,
    sql: `${name} USING btree (org_id, ${value}, id)`,
    isDefault: true,
    valuesOf: { records, list, values, unfilled: `${name}_unfilled` },
  };
}

function newIndex({ name: table }: Table, name: string, sql: string): ListIndex {
  const isDefault = isIndexedByDefault(name);
  return { name: `${table}.${name}`, index: `${table}_by_${name}`, sql: `${table} USING ${sql}`, isDefault };
}

/** Returns the index that finds duplicates by a comparison; undefined if a migration has created it. */
export function comparisonIndex(table: Table, by: string): ListIndex | undefined {
  const index = table.comparisons[by]?.index;
  return index && newIndex(table, index.name, `btree (org_id, ${index.hash}, id) WHERE ${index.isCompared}`);
}

function indexesOf(table: Table): ListIndex[] {
  const { sorts = [], filters, search } = table.resource.list;
  const fields = new Set([...sorts, ...Object.keys(filters), ...(search ? [searchParameter] : [])]);
  return [
    ...[...fields].flatMap((field) => indexOf(table, field) ?? []),
    ...Object.keys(table.comparisons).flatMap((by) => comparisonIndex(table, by) ?? []),
  ];
}

/** All indexes of lists that no migration creates. Every sort, filter and comparison has an index. */
export const listIndexes: readonly ListIndex[] = recordTables.flatMap(indexesOf);
