import { plannedStatement } from '@relata/db';
import type { RecordTable } from '../table/record-table.ts';
import type { Row } from '../table/record-column.ts';
import { filterNames, hasNewFilter, Values } from './list-conditions.ts';
import { findsInScanSlot, type ListDb } from './list-plan.ts';
import { chooseAccessPath } from './choose-access-path.sql.ts';
import { matchingSql, type AccessPath } from './matching.sql.ts';
import { matchesMax } from './record-page.sql.ts';

type Table = RecordTable<unknown>;

/** Query of a summary. */
export interface SummaryQuery {
  group_by?: string | undefined;
  sum?: string | undefined;
  avg?: string | undefined;
  sort: '-count' | 'count' | '-sum' | 'sum';
  limit: number;
  count?: 'exact' | undefined;
  expand?: readonly string[] | undefined;
  [filter: string]: unknown;
}

/** A decimal number with all its digits in JSON; a JavaScript number would be rounded. */
interface Decimal {
  readonly rawJSON: string;
}

/** Creates a decimal from a string. TypeScript does not know this function yet. */
const { rawJSON: decimal } = JSON as unknown as { rawJSON(text: string): Decimal };

interface Figures {
  count: number;
  sum?: Readonly<Record<string, Decimal | null>>;
  avg?: Readonly<Record<string, Decimal | null>>;
}

export interface Summary {
  /** Groups: each has its figures and its value of the grouping field. */
  data: (Figures & Row)[];
  all: Figures;
  /** Number of matches, or a lower bound if `total_relation` is present. */
  total: number;
  total_relation?: 'gte';
  limit: number;
  /** True if there are, or may be, more groups. */
  has_more: boolean;
}

interface FigureRow {
  is_partial: boolean;
  is_all: boolean;
  key: string | null;
  n: number;
  sum: string | null;
  avg: string | null;
}

/**
 * Counts and adds up the records that match, in one statement and so one snapshot. Reads at most 10,000 records, unless
 * `isUnbounded`. If there are more, sums and averages are `null`, and counts are lower bounds.
 */
export async function summarize(on: ListDb, orgId: string, table: Table, query: SummaryQuery): Promise<Summary> {
  const { group_by: group, limit } = query;
  const isWhole = isUnbounded(table, query);
  const values = new Values(orgId);
  const db = isWhole || findsInScanSlot(table, query) ? on.scan : on.db;
  const accessPath = await chooseAccessPath(db, orgId, table, query);
  const sql = summarySql(table, query, values, { isWhole, accessPath });
  const rows = await db.query(plannedStatement<FigureRow>(`${table.name}.summary`, sql), values.all);
  const [all, ...groups] = rows;
  const isPartial = all!.is_partial;
  const data = groups.map((row) => ({ [group!]: row.key, ...figuresIn(row, query) }));
  return {
    data: data.slice(0, limit),
    all: figuresIn(all!, query),
    total: all!.n,
    ...(isPartial && { total_relation: 'gte' }),
    limit,
    has_more: data.length > limit || (isPartial && group !== undefined),
  };
}

/** Returns true if all matches are read: with `count=exact`, and with contract filters alone. */
function isUnbounded(table: Table, query: SummaryQuery): boolean {
  return query.count === 'exact' || (filterNames(table, query).length > 0 && !hasNewFilter(table, query));
}

function figuresIn({ n, sum, avg, is_partial }: FigureRow, query: SummaryQuery): Figures {
  const shown = (value: string | null) => (is_partial || value === null ? null : decimal(value));
  return {
    count: n,
    ...(query.sum && { sum: { [query.sum]: shown(sum) } }),
    ...(query.avg && { avg: { [query.avg]: shown(avg) } }),
  };
}

function summarySql(
  table: Table,
  query: SummaryQuery,
  values: Values,
  { isWhole, accessPath }: { isWhole: boolean; accessPath: AccessPath | undefined },
): string {
  const { group_by: group, limit } = query;
  const column = (field: string | undefined, otherwise: string) => (field ? `r.${field}` : otherwise);
  const columns = `${column(group, 'NULL::text')} AS key, ${column(query.sum, 'NULL::numeric')} AS summed,
    ${column(query.avg, 'NULL::numeric')} AS averaged`;
  const matches = `SELECT ${columns} FROM ${matchingSql(table, query, values, { accessPath })}`;
  const hits = isWhole
    ? `hits AS (${matches}), read AS (SELECT false AS is_partial)`
    : `hits AS MATERIALIZED (${matches} LIMIT ${matchesMax + 1}),
       read AS (SELECT count(*) > ${matchesMax} AS is_partial FROM hits)`;
  const counted = isWhole ? 'hits' : `(SELECT * FROM hits LIMIT ${matchesMax})`;
  const type = columnType(table, group) ?? 'text';
  const groups = group ? 'UNION ALL SELECT false, key, n, coalesce(added, 0), averaged, amounts FROM groups' : '';
  // The overall figures are sums over the groups, so the matches are read only once.
  return `WITH ${hits}, groups AS MATERIALIZED (
      SELECT key, count(*) AS n, ${query.sum ? 'sum(summed)' : '0'} AS added,
        ${query.avg ? 'sum(averaged) AS averaged, count(averaged) AS amounts' : '0 AS averaged, 0 AS amounts'}
      FROM ${counted} counted GROUP BY key
    ), figures AS (
      SELECT true AS is_all, NULL::${type} AS key, coalesce(sum(n), 0)::bigint AS n, coalesce(sum(added), 0) AS added,
        sum(averaged) AS averaged, sum(amounts) AS amounts
      FROM groups ${groups}
    )
    SELECT is_partial, is_all, key, n, trim_scale(added::numeric)::text AS sum, trim_scale(${averageSql})::text AS avg
    FROM figures, read
    ORDER BY is_all DESC, ${orderSql(query)}, key${type === 'text' ? ' COLLATE "C"' : ''} NULLS LAST
    LIMIT ${values.add(limit + 2)}::bigint`;
}

/**
 * SQL for the average, rounded half away from zero. The quotient has so many decimals that its own rounding cannot
 * change the result.
 */
const averageSql = 'round(averaged::numeric(60, 24) / nullif(amounts, 0), 4)';

/**
 * Returns SQL for the order of the groups. If sums are partial, their order would mean nothing, so the counts decide.
 */
function orderSql({ sort }: SummaryQuery): string {
  if (sort === 'count') return 'n';
  if (sort === '-count') return 'n DESC';
  return sort === 'sum'
    ? 'CASE WHEN is_partial THEN -n ELSE added END'
    : 'CASE WHEN is_partial THEN n ELSE added END DESC';
}

const columnType = ({ columns }: Table, field: string | undefined) => columns.find(({ name }) => name === field)?.type;
