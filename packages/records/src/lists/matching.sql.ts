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
 * A way to find the records with a tag that meet other conditions, too:
 *
 * - `found`: read all records with the tag.
 * - `hashed`: read those that meet the other condition, and look up their ids among those with the tag.
 * - `planned`: read those that meet the other conditions, as PostgreSQL decides, and compare their tags.
 */
export type Way = 'found' | 'hashed' | 'planned';

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

const idsSql = ({ ids, value }: Condition, values: Values) => ids!.replaceAll('$filter', values.add(value));

const rowsSql = (table: Table, conditions: readonly Condition[], values: Values) =>
  `${table.name} r WHERE r.org_id = $1 AND ${allSql(conditions, values)}`;

/** Maximum number of records with a tag that are all read to test the other conditions. */
const foundMax = 10_000;
/** Maximum number of records with a tag whose ids PostgreSQL collects in a hash table, to look up others in it. */
const hashedMax = 100_000;

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

/**
 * Chooses the way by the numbers of records with the tag and of those that meet the other condition, counted up to a
 * maximum; returns undefined for a list without both. PostgreSQL cannot choose: it knows nothing about tags that its
 * statistics lack.
 */
export async function chooseWay(db: Db, orgId: string, table: Table, query: Query): Promise<Way | undefined> {
  const { found, others } = withIds(listConditions(table, query));
  if (!found || others.length === 0) return undefined;
  const values = new Values(orgId);
  const ids = idsSql(found, values);
  const hasMoreThan = (max: number, rows: string) => `EXISTS (SELECT FROM ${rows} OFFSET ${max} LIMIT 1)`;
  const [other, ...further] = others;
  const hasIndex = further.length === 0 && other!.indexedField !== undefined && isIndexedByDefault(other!.indexedField);
  const hashed = () =>
    `WHEN ${hasMemory} AND ${hasMoreThan(foundMax, rowsSql(table, others, values))}
      AND NOT ${hasMoreThan(hashedMax, ids)} THEN 'hashed'`;
  const sql = `SELECT CASE WHEN NOT ${hasMoreThan(foundMax, ids)} THEN 'found' ${hasIndex ? hashed() : ''}
    ELSE 'planned' END AS way`;
  const [row] = await db.query(plannedStatement<{ way: Way }>(`${table.name}.way`, sql), values.all);
  return row!.way;
}
