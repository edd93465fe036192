import { type Db, type Statement, statement } from '@relata/db';
import type { ColumnType, Row } from '../table/record-column.ts';
import { type RecordTable, selected, toRecord } from '../table/record-table.ts';

export interface PageQuery {
  limit: number;
  offset: number;
  [filter: string]: unknown;
}

export interface Page<Rec> {
  data: Rec[];
  /** Exact number of matching rows, from the same snapshot as the page. */
  total: number;
  limit: number;
  offset: number;
  has_more: boolean;
}

export interface Listed<Rec> {
  page: Page<Rec>;
  /** Rows before the page that were skipped one by one. */
  passedOver: number;
}

/**
 * Maximum text of a page, in bytes. The row that exceeds it is the last; the page then has fewer rows than `limit`, and
 * `has_more` is true.
 */
export const pageBytesMax = 1_048_576;

/**
 * Lists records in ascending order of id. The caller decides whether to bound the bytes of the page, since this costs a
 * seventh of the statement: small rows need no bound.
 */
export async function listRecords<Rec>(
  db: Db,
  orgId: string,
  table: RecordTable<Rec>,
  query: PageQuery,
  isBounded = table.hasLargeRows ?? false,
): Promise<Listed<Rec>> {
  const { limit, offset } = query;
  const filters = filtersOf(table, query);
  const values = [orgId, limit, ...(offset > 0 ? [offset] : []), ...filters.map((name) => query[name])];
  const rows = await db.query(pageStatement(table, { filters, hasOffset: offset > 0, isBounded }), values);
  // The total is always returned, on an extra row if the page is empty.
  const first = rows[0]!;
  const total = Number(first['total']);
  const data = first['id'] === null ? [] : rows.map((row) => toRecord(table, row));
  const page = { data, total, limit, offset, has_more: offset + data.length < total };
  return { page, passedOver: Math.min(offset, total) - Number(first['landmark'] ?? offset) };
}

/** Returns true if counting a list may visit many rows. Lists without a filter have a stored total and landmarks. */
export function mayScan(table: RecordTable<unknown>, query: PageQuery): boolean {
  return filtersOf(table, query).length > 0;
}

function filtersOf(table: RecordTable<unknown>, query: PageQuery): string[] {
  return Object.keys(table.filters).filter((name) => query[name] !== undefined);
}

const statements = new Map<string, Statement<Row>>();

interface PageShape {
  filters: string[];
  hasOffset: boolean;
  isBounded: boolean;
}

/**
 * Returns the statement for a shape. There are few shapes: with or without an offset and a bound, times the subsets of
 * at most two filters.
 */
function pageStatement(table: RecordTable<unknown>, shape: PageShape): Statement<Row> {
  const { filters, hasOffset, isBounded } = shape;
  const name = [table.name, hasOffset ? 'page' : 'first', ...(isBounded ? ['bounded'] : []), ...filters].join('.');
  return statements.getOrInsertComputed(name, () => statement<Row>(name, pageSql(table, shape)));
}

function pageSql(table: RecordTable<unknown>, { filters, hasOffset, isBounded }: PageShape): string {
  const firstFilter = hasOffset ? 4 : 3;
  const conditions = filters.map((name, i) => table.filters[name]!.replaceAll('$filter', `$${firstFilter + i}`));
  const matching = ['r.org_id = $1', ...conditions].join(' AND ');
  const isWhole = filters.length === 0;
  const rows = `SELECT ${selected(table)} FROM ${table.name} r
      WHERE ${matching} ${hasOffset ? `AND r.id >= (${startSql(table, matching, isWhole)})` : ''}
      ORDER BY r.id LIMIT $2`;
  return `${hasOffset && isWhole ? landmarkSql(table) : ''}
    SELECT t.total, ${hasOffset && isWhole ? '(SELECT position FROM landmark) AS landmark,' : ''} p.*
    FROM (${isWhole ? keptCountSql(table) : countedSql(table, matching)}) t
    LEFT JOIN LATERAL (${isBounded ? boundedSql(table, rows) : rows}) p ON true
    ORDER BY p.id`;
}

/**
 * Bounds rows by their bytes. PostgreSQL knows the size of a long text without reading it, so omitted rows cost next to
 * nothing.
 */
function boundedSql({ shown }: RecordTable<unknown>, rows: string): string {
  const bytes = shown.flatMap(({ name, type }) => sizeSql[type]?.(name) ?? []).join(' + ');
  return `SELECT ${shown.map(({ name }) => name).join(', ')} FROM (
      SELECT *, sum(${bytes}) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
      FROM (${rows}) row
    ) row WHERE coalesce(bytes_before, 0) < ${pageBytesMax}`;
}

/** SQL for the bytes of a column whose values may be long. */
const sizeSql: Partial<Record<ColumnType, (name: string) => string>> = {
  text: (name) => `coalesce(octet_length(${name}), 0)`,
  'text[]': (name) => `octet_length(array_to_string(${name}, ','))`,
  'uuid[]': (name) => `39 * cardinality(${name})`,
};

/** Returns SQL for the last landmark that is not past the page. */
function landmarkSql({ name }: RecordTable<unknown>): string {
  return `WITH landmark AS MATERIALIZED (
      SELECT id, position FROM record_landmarks
      WHERE org_id = $1 AND resource = '${name}' AND position <= $3::bigint
      UNION ALL SELECT '00000000-0000-0000-0000-000000000000', 0
      ORDER BY position DESC LIMIT 1
    )`;
}

/**
 * Returns SQL for the first id of the page. The rows before it are skipped in the index alone; only the page itself is
 * read.
 */
function startSql({ name }: RecordTable<unknown>, matching: string, isWhole: boolean): string {
  if (!isWhole) return `SELECT r.id FROM ${name} r WHERE ${matching} ORDER BY r.id LIMIT 1 OFFSET $3`;
  return `SELECT r.id FROM ${name} r WHERE ${matching} AND r.id >= (SELECT id FROM landmark)
    ORDER BY r.id LIMIT 1 OFFSET $3::bigint - (SELECT position FROM landmark)`;
}

function keptCountSql({ name }: RecordTable<unknown>): string {
  return `SELECT coalesce(sum(n), 0)::bigint AS total FROM record_counts WHERE org_id = $1 AND resource = '${name}'`;
}

function countedSql({ name }: RecordTable<unknown>, matching: string): string {
  return `SELECT count(*) AS total FROM ${name} r WHERE ${matching}`;
}
