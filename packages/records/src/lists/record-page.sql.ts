import { type Db, type Statement, statement } from '@relata/db';
import type { ColumnType, Row } from '../table/record-column.ts';
import { type RecordTable, selected, toRecord } from '../table/record-table.ts';

export interface PageQuery {
  limit: number;
  offset: number;
  [filter: string]: unknown;
}

/** A page, as the API shows it. */
export interface Page<Rec> {
  data: Rec[];
  /** Rows that match, exact, from the same snapshot as the page. */
  total: number;
  limit: number;
  offset: number;
  has_more: boolean;
}

export interface Listed<Rec> {
  page: Page<Rec>;
  /** Rows that had to be passed over, one by one, to get there. */
  passedOver: number;
}

/**
 * Text of one page, in bytes, as for a body: the row that goes beyond it is the last. Fewer rows than `limit` come then,
 * and `has_more` is true.
 */
export const pageBytesMax = 1_048_576;

/**
 * Lists records in ascending order of id. Whether the bytes of the page are bounded is up to the caller where the rows
 * of the table are small as a rule: it costs a seventh of the statement.
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
  // The total always comes, if need be on a row of its own.
  const first = rows[0]!;
  const total = Number(first['total']);
  const data = first['id'] === null ? [] : rows.map((row) => toRecord(table, row));
  const page = { data, total, limit, offset, has_more: offset + data.length < total };
  return { page, passedOver: Math.min(offset, total) - Number(first['landmark'] ?? offset) };
}

/** Returns true if counting a list may visit many rows. One without a filter has its total and its landmarks. */
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

/** There are few: with or without an offset and a bound, times the subsets of at most two filters. */
function pageStatement(table: RecordTable<unknown>, shape: PageShape): Statement<Row> {
  const { filters, hasOffset, isBounded } = shape;
  const name = [table.name, hasOffset ? 'page' : 'first', ...(isBounded ? ['bounded'] : []), ...filters].join('.');
  let found = statements.get(name);
  if (!found) statements.set(name, (found = statement<Row>(name, pageSql(table, shape))));
  return found;
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

/** The size of a long text is known without reading it, so rows that are left out cost next to nothing. */
function boundedSql({ shown }: RecordTable<unknown>, rows: string): string {
  const bytes = shown.flatMap(({ name, type }) => sizeSql[type]?.(name) ?? []).join(' + ');
  return `SELECT ${shown.map(({ name }) => name).join(', ')} FROM (
      SELECT *, sum(${bytes}) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
      FROM (${rows}) row
    ) row WHERE coalesce(bytes_before, 0) < ${pageBytesMax}`;
}

/** Bytes of a column whose values may be long. */
const sizeSql: Partial<Record<ColumnType, (name: string) => string>> = {
  text: (name) => `coalesce(octet_length(${name}), 0)`,
  'text[]': (name) => `octet_length(array_to_string(${name}, ','))`,
  'uuid[]': (name) => `39 * cardinality(${name})`,
};

/** The last landmark that is not past the page. */
function landmarkSql({ name }: RecordTable<unknown>): string {
  return `WITH landmark AS MATERIALIZED (
      SELECT id, position FROM record_landmarks
      WHERE org_id = $1 AND resource = '${name}' AND position <= $3::bigint
      UNION ALL SELECT '00000000-0000-0000-0000-000000000000', 0
      ORDER BY position DESC LIMIT 1
    )`;
}

/** Where the page starts. The rows before it are passed over in the index alone; only those of the page are read. */
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
