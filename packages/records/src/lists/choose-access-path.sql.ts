import { type Db, plannedStatement } from '@relata/db';
import { isIndexedByDefault } from '../indexes/list-index.ts';
import { hasWideText } from '../indexes/words.sql.ts';
import type { RecordTable } from '../table/record-table.ts';
import { comparedSql, type Condition, listConditions, recordOf, Values } from './list-conditions.ts';
import { hashedMax, hasMemory, idsSql, rowsSql, type AccessPath, withIds, withWords } from './matching.sql.ts';
import { keptCountSql, type PageQuery } from './record-page.sql.ts';

type Table = RecordTable<unknown>;

/**
 * Maximum number of records that are read one by one: records with a tag, to test the other conditions; or, in a
 * search, records that meet the other condition, to compare their texts with the words of the search.
 */
const readMax = 10_000;
/**
 * If more than 100,000 records, and more than a tenth of all records, meet the other condition, the records with the
 * words are read first. One part of the index of words then often has enough matches.
 */
const frequentMin = 100_000;
const frequentPart = 0.1;
/** Size of a list up to which reading all parts of the index of words takes less time than comparing 10,000 texts. */
const smallMax = 200_000;
/** Step of the sample, which has every hundredth of the first 10,000 records that meet the other condition. */
const sampledEvery = 100;
/** Minimum share of the sample with the words for which comparing texts finds 10,000 matches sooner than the index. */
const frequentWords = 0.3;
/**
 * Maximum share of the sample with texts that are not in ASCII, since comparing such a text takes ten times as long.
 */
const widePart = 0.1;

/** The query of a list, or of a summary. */
type Query = Pick<PageQuery, 'count'> & Readonly<Record<string, unknown>>;

/**
 * Chooses how to find the matches, by counting the records that meet the conditions up to a maximum. Returns undefined
 * for a list that PostgreSQL plans well. It cannot plan other lists well, since its statistics lack rare tags and the
 * parts of the index of words.
 */
export async function chooseAccessPath(
  db: Db,
  orgId: string,
  table: Table,
  query: Query,
): Promise<AccessPath | undefined> {
  const values = new Values(orgId);
  const sql = choiceSql(table, query, values);
  if (sql === undefined) return undefined;
  const [row] = await db.query(
    plannedStatement<{ access_path: AccessPath | null }>(`${table.name}.access_path`, sql),
    values.all,
  );
  return row!.access_path ?? undefined;
}

function choiceSql(table: Table, query: Query, values: Values): string | undefined {
  const conditions = listConditions(table, query);
  const { found, others } = withIds(conditions);
  const { words, others: besideWords } = withWords(conditions);
  const isExact = query.count === 'exact';
  if (found && others.length > 0) {
    const ids = idsSql(found, values);
    return words && others.length === 1
      ? besideWordsSql({ table, words, rows: ids, isTag: true, isExact }, values)
      : besideTagSql(table, ids, others, values);
  }
  if (!words || !haveOneIndex(besideWords)) return undefined;
  return besideWordsSql({ table, words, rows: rowsSql(table, besideWords, values), isTag: false, isExact }, values);
}

const hasMoreThan = (max: number, rows: string) => `EXISTS (SELECT FROM ${rows} OFFSET ${max} LIMIT 1)`;

/**
 * Returns SQL that chooses how to find the matches of a list with a tag and other conditions. `ids` is SQL for the
 * records with the tag.
 */
function besideTagSql(table: Table, ids: string, others: readonly Condition[], values: Values): string {
  const hashed = () =>
    `WHEN ${hasMemory} AND ${hasMoreThan(readMax, rowsSql(table, others, values))}
      AND NOT ${hasMoreThan(hashedMax, ids)} THEN 'hashed'`;
  return `SELECT CASE WHEN NOT ${hasMoreThan(readMax, ids)} THEN 'found' ${haveOneIndex(others) ? hashed() : ''}
    ELSE 'planned' END AS access_path`;
}

interface BesideWords {
  table: Table;
  words: Condition;
  /** SQL to put after FROM, for the rows that meet the other condition. */
  rows: string;
  /** True if the other condition is a tag. */
  isTag: boolean;
  /** True if all matches are counted, so that it saves little to find 10,000 of them early. */
  isExact: boolean;
}

/**
 * Returns SQL that chooses how to find the matches of a list with words and one other condition. PostgreSQL runs only
 * the subqueries that CASE reaches.
 */
function besideWordsSql({ table, words, rows, isTag, isExact }: BesideWords, values: Values): string {
  const [byTexts, otherwise] = isTag ? [`'found'`, `'planned'`] : [`'compared'`, 'NULL'];
  const total = '(SELECT total FROM kept)';
  const frequent = `greatest(${frequentMin}, ${total} * ${frequentPart})`;
  const n = '(SELECT n FROM counted)';
  const sampled = (column: string) => `(SELECT ${column} FROM sampled)`;
  return `WITH kept AS MATERIALIZED (${keptCountSql(table)}),
    counted AS MATERIALIZED (SELECT count(*) AS n FROM (SELECT FROM ${rows} LIMIT ${frequent}::bigint + 1) r),
    sampled AS MATERIALIZED (
      SELECT count(*) AS n, count(*) FILTER (WHERE ${comparedSql([words], values)}) AS with_words,
        count(*) FILTER (WHERE ${hasWideText(table)}) AS wide
      FROM (SELECT r.id, row_number() OVER () AS place FROM (SELECT r.id FROM ${rows} LIMIT ${readMax}) r) picked
      ${recordOf(table, 'picked')} WHERE picked.place % ${sampledEvery} = 0)
    SELECT CASE ${isTag ? `WHEN ${n} <= ${readMax} THEN 'found'` : ''}
      WHEN ${total} <= ${smallMax} THEN ${otherwise}
      WHEN ${n} > ${frequent} THEN 'searched'
      WHEN ${sampled(`wide > ${widePart} * n`)} THEN ${otherwise}
      WHEN ${n} <= ${readMax} THEN ${byTexts}
      ${isExact ? '' : `WHEN ${sampled(`with_words >= ${frequentWords} * n`)} THEN ${byTexts}`}
      ELSE ${otherwise} END AS access_path`;
}

/** Returns true if a single index answers the conditions, so that their records are counted quickly. */
function haveOneIndex([one, ...further]: readonly Condition[]): boolean {
  const field = one?.indexedField;
  return (
    field !== undefined && isIndexedByDefault(field) && further.every(({ indexedField }) => indexedField === field)
  );
}
