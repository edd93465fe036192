import { type Db, plannedStatement, type Statement, statement } from '@relata/db';
import type { ColumnType, Row } from '../table/record-column.ts';
import { type RecordTable, selected, toRecord } from '../table/record-table.ts';
import { type Condition, filterNames, hasNewFilter, listConditions, recordOf } from './list-conditions.ts';
import { type CursorScope, decodeCursor, encodeCursor } from './list-cursor.ts';

export interface PageQuery {
  limit: number;
  offset?: number | undefined;
  /** Cursor from the previous page. Without it, the page begins at `offset`. */
  cursor?: string | undefined;
  /** Field, with `-` for descending order; `id` by default. */
  sort?: string | undefined;
  count?: 'exact' | 'none' | undefined;
  [filter: string]: unknown;
}

export interface Page<Rec> {
  data: Rec[];
  /** Number of matching rows, or a lower bound if `total_relation` is present. */
  total: number;
  total_relation?: 'gte';
  limit: number;
  offset: number;
  has_more: boolean;
  /** Absent on the last page. */
  next_cursor?: string;
}

export interface Listed<Rec> {
  page: Page<Rec>;
  /**
   * Rows before the page that were skipped one by one. Meaningful only for an unfiltered list in ascending order of id.
   */
  passedOver: number;
  /** Returns the cursor after the record at this position of the page. */
  cursorAfter(at: number): string;
}

/**
 * Maximum size of the texts of a page, in bytes. The row that reaches it is the last row of the page. If more rows
 * follow, the page has fewer than `limit`, and `has_more` is true.
 */
export const pageBytesMax = 1_048_576;

/**
 * Lists records in the order of their ids. The caller decides whether to limit the bytes of the page: small rows need
 * no limit, and the limit takes a seventh of the statement's time.
 */
export async function listRecords<Rec>(
  db: Db,
  orgId: string,
  table: RecordTable<Rec>,
  query: PageQuery,
  isBounded = table.hasLargeRows ?? false,
): Promise<Listed<Rec>> {
  const { limit, offset = 0, cursor, sort = 'id', count } = query;
  const filters = filterNames(table, query);
  const conditions = listConditions(table, query);
  const scope = scopeOf(orgId, table, query);
  const start = cursor === undefined ? (offset > 0 ? offset : undefined) : decodeCursor(scope, cursor).id;
  const shape: PageShape = {
    filters,
    start: startOf(start),
    isDescending: sort === '-id',
    isCounted: count !== 'none',
    isCapped: hasNewFilter(table, query),
    isBounded,
  };
  const given = conditions.map(({ value }) => {
    // The statement is cached by the names of the filters, so each filter must be a parameter.
    if (value === undefined) throw new Error('A filter without a value cannot use a cached statement.');
    return value;
  });
  const values = [orgId, limit, ...(start === undefined ? [] : [start]), ...given];
  const rows = await db.query(pageStatement(table, shape, conditions), values);
  // The total is always returned, in a row of its own if the page is empty.
  const first = rows[0]!;
  const found = first['id'] === null ? [] : rows;
  const data = found.map((row) => toRecord(table, row));
  const counted = shape.isCounted ? Number(first['total']) : undefined;
  const isPartial = counted === undefined || (shape.isCapped && counted > matchesMax);
  const hasMore = isPeeking(shape) ? found.at(-1)?.['has_next'] === true : offset + data.length < counted!;
  const cursorAfter = (at: number) => encodeCursor(scope, { id: found[at]!['id'] as string });
  const page = pageOf(query, data, isPartial ? undefined : counted, hasMore, cursorAfter);
  return { page, passedOver: Math.min(offset, page.total) - Number(first['landmark'] ?? offset), cursorAfter };
}

/** Returns a page; `total` is undefined if the number of matches is not known exactly. */
export function pageOf<Rec>(
  { limit, offset = 0, cursor, count }: PageQuery,
  data: Rec[],
  total: number | undefined,
  hasMore: boolean,
  cursorAfter: (at: number) => string,
): Page<Rec> {
  return {
    data,
    total: total ?? (count === 'none' ? offset + data.length + (hasMore ? 1 : 0) : matchesMax),
    ...(total === undefined && { total_relation: 'gte' }),
    limit,
    offset: cursor === undefined ? offset : 0,
    has_more: hasMore,
    ...(hasMore && data.length > 0 && { next_cursor: cursorAfter(data.length - 1) }),
  };
}

/** Throws `invalid_cursor` if the cursor belongs to another organization, list, order or set of filters. */
export function checkCursor(orgId: string, table: RecordTable<unknown>, query: PageQuery): void {
  if (query.cursor !== undefined) decodeCursor(scopeOf(orgId, table, query), query.cursor);
}

/** Returns the selection of records to which a list's cursors belong. */
export function scopeOf(orgId: string, table: RecordTable<unknown>, query: PageQuery): CursorScope {
  const filters = filterNames(table, query).map((name) => [name, query[name]] as const);
  return { orgId, list: table.name, sort: query.sort ?? 'id', filters };
}

const startOf = (start: number | string | undefined): PageShape['start'] =>
  start === undefined ? 'first' : typeof start === 'number' ? 'offset' : 'cursor';

/** Number up to which matches are counted. */
export const matchesMax = 10_000;

const statements = new Map<string, Statement<Row>>();

interface PageShape {
  filters: string[];
  start: 'first' | 'offset' | 'cursor';
  isDescending: boolean;
  isCounted: boolean;
  /** True if at most one match more than `matchesMax` is counted. */
  isCapped: boolean;
  isBounded: boolean;
}

/**
 * Returns true if the statement must read one more row to tell if others follow: the position of the page or the total
 * is unknown.
 */
const isPeeking = ({ start, isCounted, isCapped }: PageShape) => start === 'cursor' || !isCounted || isCapped;

/** Returns the statement for a shape. Its name omits the filters, so that metrics have few names. */
function pageStatement(
  table: RecordTable<unknown>,
  shape: PageShape,
  conditions: readonly Condition[],
): Statement<Row> {
  const { filters, start, isDescending, isCounted, isBounded } = shape;
  const name = [table.name, start === 'offset' ? 'page' : start, ...(isDescending ? ['newest'] : [])].join('.');
  const key = [name, isCounted, isBounded, ...filters].join();
  return statements.getOrInsertComputed(key, () => {
    const text = pageSql(table, shape, conditions);
    return isPrepared(table, shape) && !conditions.some(({ ids }) => ids)
      ? statement<Row>(name, text, filters[0])
      : plannedStatement<Row>(name, text);
  });
}

/**
 * Returns true for the usual shapes, whose statements connections keep prepared, at 160 KB each. Statements of other
 * shapes are planned each time. `pageStatement` also plans lists filtered by tags each time, since they would need a
 * third of all prepared statements.
 */
function isPrepared(
  table: RecordTable<unknown>,
  { filters, start, isDescending, isCounted, isBounded }: PageShape,
): boolean {
  if (filters.length > 1 || !isCounted || isBounded !== (table.hasLargeRows ?? false)) return false;
  return start !== 'offset' || !isDescending;
}

function pageSql(table: RecordTable<unknown>, shape: PageShape, conditions: readonly Condition[]): string {
  const { filters, start, isDescending, isCounted, isCapped, isBounded } = shape;
  const firstFilter = start === 'first' ? 3 : 4;
  const filtering = conditions.map(({ sql }, i) => sql.replaceAll('$filter', `$${firstFilter + i}`));
  const [only, ...others] = conditions;
  const ids = others.length === 0 ? only?.ids : undefined;
  const from = ids
    ? ids.replaceAll('$filter', `$${firstFilter}`)
    : `${table.name} r WHERE ${['r.org_id = $1', ...filtering].join(' AND ')}`;
  const isWhole = filters.length === 0;
  const direction = isDescending ? 'DESC' : 'ASC';
  // The landmarks count from the oldest record.
  const hasLandmark = start === 'offset' && isWhole && !isDescending;
  const page = `FROM ${from} ${begins(shape, from, { hasLandmark })}
      ORDER BY r.id ${direction} LIMIT $2${isPeeking(shape) ? '::bigint + 1' : ''}`;
  const rows = ids
    ? `SELECT ${selected(table)} FROM (SELECT r.id ${page}) found ${recordOf(table, 'found')}`
    : `SELECT ${selected(table)} ${page}`;
  const peeked = isPeeking(shape) ? peekedSql(rows, direction) : rows;
  const bounds = { order: `ORDER BY id ${direction}`, more: isPeeking(shape) ? ['has_next'] : [] };
  const total = isWhole ? keptCountSql(table) : countedSql(from, isCapped);
  return `${hasLandmark ? landmarkSql(table) : ''}
    SELECT t.total, ${hasLandmark ? '(SELECT position FROM landmark) AS landmark,' : ''} p.*
    FROM (${isCounted ? total : 'SELECT NULL AS total'}) t
    LEFT JOIN LATERAL (${isBounded ? boundedSql(table, peeked, bounds) : peeked}) p ON true
    ORDER BY p.id ${direction}`;
}

/** Returns SQL that tells for each row if another follows, and omits the row beyond the limit. */
function peekedSql(rows: string, direction: string): string {
  const order = `OVER (ORDER BY id ${direction})`;
  return `SELECT * FROM (
      SELECT *, lead(id) ${order} IS NOT NULL AS has_next, row_number() ${order} AS row_in_page FROM (${rows}) peeked
    ) counted WHERE row_in_page <= $2`;
}

/** Returns the condition that excludes the rows before the page. */
function begins({ start, isDescending }: PageShape, from: string, { hasLandmark }: { hasLandmark: boolean }): string {
  if (start === 'first') return '';
  if (start === 'cursor') return `AND r.id ${isDescending ? '<' : '>'} $3::uuid`;
  const [order, direction] = isDescending ? ['<=', 'DESC'] : ['>=', 'ASC'];
  return `AND r.id ${order} (${startSql(from, { hasLandmark, direction })})`;
}

/**
 * Returns SQL that keeps rows in this order up to the maximum size of a page. PostgreSQL knows the size of a long text
 * without reading it, so omitted rows cost next to nothing. `more` are columns in addition to those of the table.
 */
export function boundedSql(
  { shown }: RecordTable<unknown>,
  rows: string,
  { order, more }: { order: string; more: readonly string[] },
): string {
  const bytes = shown.flatMap(({ name, type }) => sizeSql[type]?.(name) ?? []).join(' + ');
  const names = [...shown.map(({ name }) => name), ...more];
  return `SELECT ${names.join(', ')} FROM (
      SELECT *, sum(${bytes}) OVER (${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
      FROM (${rows}) row
    ) row WHERE coalesce(bytes_before, 0) < ${pageBytesMax}`;
}

/** SQL for the bytes of a column whose values may be long. */
const sizeSql: Partial<Record<ColumnType, (name: string) => string>> = {
  text: (name) => `coalesce(octet_length(${name}), 0)`,
  'text[]': (name) => `octet_length(array_to_string(${name}, ','))`,
  'uuid[]': (name) => `39 * cardinality(${name})`,
};

/** Returns SQL for the last landmark that is not after the start of the page. */
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
function startSql(from: string, { hasLandmark, direction }: { hasLandmark: boolean; direction: string }): string {
  if (!hasLandmark) return `SELECT r.id FROM ${from} ORDER BY r.id ${direction} LIMIT 1 OFFSET $3`;
  return `SELECT r.id FROM ${from} AND r.id >= (SELECT id FROM landmark)
    ORDER BY r.id LIMIT 1 OFFSET $3::bigint - (SELECT position FROM landmark)`;
}

/** Returns SQL for the number of records of the whole list. */
export function keptCountSql({ name }: RecordTable<unknown>): string {
  return `SELECT coalesce(sum(n), 0)::bigint AS total FROM record_counts WHERE org_id = $1 AND resource = '${name}'`;
}

function countedSql(from: string, isCapped: boolean): string {
  if (!isCapped) return `SELECT count(*) AS total FROM ${from}`;
  return `SELECT count(*) AS total FROM (SELECT FROM ${from} LIMIT ${matchesMax + 1}) matched`;
}
