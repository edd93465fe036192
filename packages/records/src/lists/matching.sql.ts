import { type Db, plannedStatement } from '@relata/db';
import { isIndexedByDefault } from '../indexes/list-index.ts';
import type { RecordTable } from '../table/record-table.ts';
import {
  allSql,
  comparedSql,
  type Condition,
  listConditions,
  type Query,
  recordOf,
  Values,
} from './list-conditions.ts';

type Table = RecordTable<unknown>;

/**
 * A way to find the records with a tag, or with words, that meet other conditions, too:
 *
 * - `found`: read all records with the tag, and test the others.
 * - `searched`: read those with the words, one part after the other, and test the others.
 * - `compared`: read those that meet the other condition, and compare their texts with the words.
 * - `hashed`: read those that meet the other condition, and look up their ids among those with the tag.
 * - `planned`: read those that meet the other conditions, as PostgreSQL decides, and compare their tags.
 */
export type Way = 'found' | 'searched' | 'compared' | 'hashed' | 'planned';

interface Matching {
  conditions?: readonly Condition[] | undefined;
  /** True if the rows may be those of another table that has the ids. */
  needsOnlyIds?: boolean;
  way?: Way | undefined;
}

/** Returns SQL for the matching rows `r`, after FROM. */
export function matchingSql(
  table: Table,
  query: Query,
  values: Values,
  { conditions = listConditions(table, query), needsOnlyIds = false, way = 'planned' }: Matching = {},
): string {
  const [first, ...further] = conditions;
  if (first?.rows !== undefined && further.length === 0)
    return first.rows.replaceAll('$filter', values.add(first.value));
  const { found, others } = withIds(conditions);
  if (way === 'searched') return searchedSql(conditions, values);
  if (way === 'compared') return `${table.name} r WHERE r.org_id = $1 AND ${comparedSql(conditions, values)}`;
  if (!found || (others.length > 0 && way === 'planned')) return rowsSql(table, conditions, values);
  const ids = idsSql(found, values);
  if (others.length === 0)
    return needsOnlyIds ? ids : `(SELECT r.id FROM ${ids}) found ${recordOf(table, 'found')} WHERE true`;
  if (way === 'found')
    return `(SELECT r.id FROM ${ids}) found ${recordOf(table, 'found')} WHERE ${comparedSql(others, values)}`;
  const hashed = hashedSql(table, ids, others, values);
  return needsOnlyIds ? hashed : `(SELECT r.id FROM ${hashed} OFFSET 0) found ${recordOf(table, 'found')} WHERE true`;
}

/** Returns the condition whose matches another table has, and the others. */
function withIds(conditions: readonly Condition[]): { found: Condition | undefined; others: Condition[] } {
  // A condition for several tags at once is the last one, and fewer records meet it.
  const found = conditions.findLast(({ ids }) => ids !== undefined);
  return { found, others: conditions.filter((each) => each !== found) };
}

/** Returns the condition whose matches the index of words has, and the others. */
function withWords(conditions: readonly Condition[]): { words: Condition | undefined; others: Condition[] } {
  const words = conditions.find(({ rows }) => rows !== undefined);
  return { words, others: conditions.filter((each) => each !== words) };
}

function searchedSql(conditions: readonly Condition[], values: Values): string {
  const { words, others } = withWords(conditions);
  return `${words!.rows!.replaceAll('$filter', values.add(words!.value))} AND ${comparedSql(others, values)}`;
}

const idsSql = ({ ids, value }: Condition, values: Values) => ids!.replaceAll('$filter', values.add(value));

const rowsSql = (table: Table, conditions: readonly Condition[], values: Values) =>
  `${table.name} r WHERE r.org_id = $1 AND ${allSql(conditions, values)}`;

/** Maximum number of records that are all read to test another condition: for its tag, or to compare words. */
const foundMax = 10_000;
/** Maximum number of records with a tag whose ids PostgreSQL collects in a hash table, to look up others in it. */
const hashedMax = 100_000;
/**
 * Number of records from which on a condition is so frequent that those with the words are read first: of a million
 * records, at least one in ten then meets it, so one part of the index of words often has enough.
 */
const frequentMin = 100_000;

/** Number of records of another condition whose texts show whether the words are frequent among them. */
const sampled = 100;
/** From this part on, 10,000 matches are found sooner in the texts of those records than in the index of words. */
const frequentPart = 0.3;

/** The size from which PostgreSQL calculates the memory of a hash table: an id of 16 bytes, and its header. */
const hashedRowBytes = 40;
/** SQL that is true if PostgreSQL has memory for the hash table. Otherwise it would search all ids for each record. */
const hasMemory = `pg_size_bytes(current_setting('work_mem')) * current_setting('hash_mem_multiplier')::float
    >= ${2 * hashedMax * hashedRowBytes}`;

/**
 * Returns SQL for rows that meet the conditions and are among the ids. The limit tells PostgreSQL the maximum size of the
 * hash table; it is twice the number that was counted before.
 */
function hashedSql(table: Table, ids: string, others: readonly Condition[], values: Values): string {
  // IS TRUE keeps PostgreSQL from a join, whose kind it would choose by a wrong estimate.
  return `${rowsSql(table, others, values)} AND (r.id IN (SELECT r.id FROM ${ids} LIMIT ${2 * hashedMax})) IS TRUE`;
}

const hasMoreThan = (max: number, rows: string) => `EXISTS (SELECT FROM ${rows} OFFSET ${max} LIMIT 1)`;

/**
 * Chooses the way by the numbers of records that meet the conditions, counted up to a maximum. Returns undefined for a
 * list that PostgreSQL plans well. It cannot plan the others well: it knows nothing about tags that its statistics lack,
 * nor about the parts of the index of words.
 */
export async function chooseWay(db: Db, orgId: string, table: Table, query: Query): Promise<Way | undefined> {
  const values = new Values(orgId);
  const choice = choiceSql(table, listConditions(table, query), values);
  if (choice === undefined) return undefined;
  const sql = `SELECT ${choice} AS way`;
  const [row] = await db.query(plannedStatement<{ way: Way | null }>(`${table.name}.way`, sql), values.all);
  return row!.way ?? undefined;
}

function choiceSql(table: Table, conditions: readonly Condition[], values: Values): string | undefined {
  const { found, others } = withIds(conditions);
  if (found && others.length > 0) return withTagSql(table, found, others, values);
  const { words, others: besideWords } = withWords(conditions);
  if (!words || !haveOneIndex(besideWords)) return undefined;
  const rows = rowsSql(table, besideWords, values);
  const records = `(SELECT r.* FROM ${rows} LIMIT ${sampled}) r`;
  return withWordsSql({ rows, sample: `${records} WHERE ${comparedSql([words], values)}`, byTexts: 'compared' });
}

/** Returns SQL for the way of a list with a tag and other conditions. */
function withTagSql(table: Table, found: Condition, others: readonly Condition[], values: Values): string {
  const ids = idsSql(found, values);
  const { words, others: further } = withWords(others);
  if (words && further.length === 0) {
    const records = `(SELECT r.id FROM ${ids} LIMIT ${sampled}) found ${recordOf(table, 'found')}`;
    const sample = `${records} WHERE ${comparedSql([words], values)}`;
    return withWordsSql({ rows: ids, sample, byTexts: 'found', otherwise: 'planned' });
  }
  const hashed = () =>
    `WHEN ${hasMemory} AND ${hasMoreThan(foundMax, rowsSql(table, others, values))}
      AND NOT ${hasMoreThan(hashedMax, ids)} THEN 'hashed'`;
  return `CASE WHEN NOT ${hasMoreThan(foundMax, ids)} THEN 'found' ${haveOneIndex(others) ? hashed() : ''}
    ELSE 'planned' END`;
}

interface BesideWords {
  /** Rows that meet the other condition. */
  rows: string;
  /** The first hundred of them, without those that lack the words. */
  sample: string;
  /** The way that reads the rows and compares their texts. */
  byTexts: Way;
  otherwise?: Way;
}

/** Returns SQL for the way of a list with words and one other condition; NULL if PostgreSQL plans it well. */
function withWordsSql({ rows, sample, byTexts, otherwise }: BesideWords): string {
  return `CASE WHEN NOT ${hasMoreThan(foundMax, rows)} THEN '${byTexts}'
    WHEN ${hasMoreThan(frequentMin, rows)} THEN 'searched'
    WHEN (SELECT count(*) FROM ${sample}) >= ${sampled * frequentPart} THEN '${byTexts}'
    ${otherwise ? `ELSE '${otherwise}'` : ''} END`;
}

/** Returns true for a single condition that an index answers, so that its records are counted quickly. */
function haveOneIndex([one, ...further]: readonly Condition[]): boolean {
  return one?.indexedField !== undefined && further.length === 0 && isIndexedByDefault(one.indexedField);
}
