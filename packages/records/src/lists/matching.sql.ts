import type { RecordTable } from '../table/record-table.ts';
import {
  allSql,
  comparedSql,
  type Condition,
  listConditions,
  type Query,
  recordOf,
  type Values,
} from './list-conditions.ts';

type Table = RecordTable<unknown>;

/**
 * Access path to the records that have a tag or words and also meet other conditions:
 *
 * - `found`: read all records with the tag, and test the other conditions.
 * - `searched`: read the records with the words, one part after the other, and test the other conditions.
 * - `compared`: read the records that meet the other condition, and compare their texts with the words.
 * - `hashed`: read the records that meet the other condition, and look up their ids among those with the tag.
 * - `planned`: read the records that meet the other conditions, as PostgreSQL decides, and compare their tags.
 *
 * If no access path is chosen, PostgreSQL decides everything.
 */
export type AccessPath = 'found' | 'searched' | 'compared' | 'hashed' | 'planned';

interface Matching {
  conditions?: readonly Condition[] | undefined;
  /** True if the caller needs only ids, so that rows of another table are enough. */
  needsOnlyIds?: boolean;
  accessPath?: AccessPath | undefined;
}

/** Returns SQL to put after FROM, for the matching rows `r`. */
export function matchingSql(
  table: Table,
  query: Query,
  values: Values,
  { conditions = listConditions(table, query), needsOnlyIds = false, accessPath = 'planned' }: Matching = {},
): string {
  const { found, others } = withIds(conditions);
  const { words, others: besideWords } = withWords(conditions);
  if (words && (accessPath === 'searched' || besideWords.length === 0)) return searchedSql(words, besideWords, values);
  if (accessPath === 'compared') return `${table.name} r WHERE r.org_id = $1 AND ${comparedSql(conditions, values)}`;
  if (!found || (others.length > 0 && accessPath === 'planned')) return rowsSql(table, conditions, values);
  const ids = idsSql(found, values);
  if (others.length === 0)
    return needsOnlyIds ? ids : `(SELECT r.id FROM ${ids}) found ${recordOf(table, 'found')} WHERE true`;
  if (accessPath === 'found')
    return `(SELECT r.id FROM ${ids}) found ${recordOf(table, 'found')} WHERE ${comparedSql(others, values)}`;
  const hashed = hashedSql(table, ids, others, values);
  return needsOnlyIds ? hashed : `(SELECT r.id FROM ${hashed} OFFSET 0) found ${recordOf(table, 'found')} WHERE true`;
}

/** Returns the condition whose matches are in another table, and the other conditions. */
export function withIds(conditions: readonly Condition[]): { found: Condition | undefined; others: Condition[] } {
  // The last condition may be one for several tags, which fewer records meet than a condition for one tag.
  const found = conditions.findLast(({ ids }) => ids !== undefined);
  return { found, others: conditions.filter((each) => each !== found) };
}

/** Returns the condition whose matches are in the index of words, and the other conditions. */
export function withWords(conditions: readonly Condition[]): { words: Condition | undefined; others: Condition[] } {
  const words = conditions.find(({ rows }) => rows !== undefined);
  return { words, others: conditions.filter((each) => each !== words) };
}

const searchedSql = ({ rows, value }: Condition, others: readonly Condition[], values: Values) =>
  `${rows!.replaceAll('$filter', values.add(value))} AND ${comparedSql(others, values)}`;

export const idsSql = ({ ids, value }: Condition, values: Values) => ids!.replaceAll('$filter', values.add(value));

export const rowsSql = (table: Table, conditions: readonly Condition[], values: Values) =>
  `${table.name} r WHERE r.org_id = $1 AND ${allSql(conditions, values)}`;

/** Maximum number of records with a tag whose ids PostgreSQL collects in a hash table, to look up other ids in it. */
export const hashedMax = 100_000;

/** Memory that PostgreSQL expects for each row of a hash table: an id of 16 bytes, and its header. */
const hashedRowBytes = 40;
/**
 * SQL that is true if PostgreSQL has memory for the hash table. Without it, PostgreSQL would search all ids for each
 * record.
 */
export const hasMemory = `pg_size_bytes(current_setting('work_mem')) * current_setting('hash_mem_multiplier')::float
    >= ${2 * hashedMax * hashedRowBytes}`;

/**
 * Returns SQL for rows that meet the conditions and are among the ids. The limit tells PostgreSQL the maximum size of
 * the hash table; it is twice the limit of the earlier count.
 */
function hashedSql(table: Table, ids: string, others: readonly Condition[], values: Values): string {
  // IS TRUE prevents a join, whose kind PostgreSQL would choose by a wrong estimate.
  return `${rowsSql(table, others, values)} AND (r.id IN (SELECT r.id FROM ${ids} LIMIT ${2 * hashedMax})) IS TRUE`;
}
