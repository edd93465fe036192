import { type Db, type Statement, statement } from '@relata/db';
import { type RecordTable, type Row, selected, toRecord } from './record-table.ts';

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

/** Lists records in ascending order of id. */
export async function listRecords<Rec>(
  db: Db,
  orgId: string,
  table: RecordTable<Rec>,
  query: PageQuery,
): Promise<Listed<Rec>> {
  const { limit, offset } = query;
  const filters = Object.keys(table.filters ?? {}).filter((name) => query[name] !== undefined);
  const values = [orgId, limit, ...(offset > 0 ? [offset] : []), ...filters.map((name) => query[name])];
  const rows = await db.query(pageStatement(table, filters, offset > 0), values);
  // The total always comes, if need be on a row of its own.
  const first = rows[0]!;
  const total = Number(first['total']);
  const data = first['id'] === null ? [] : rows.map((row) => toRecord(table, row));
  const page = { data, total, limit, offset, has_more: offset + data.length < total };
  return { page, passedOver: Math.min(offset, total) - Number(first['landmark'] ?? offset) };
}

const statements = new Map<string, Statement<Row>>();

/** There are few: with or without an offset, times the subsets of at most two filters. */
function pageStatement(table: RecordTable<unknown>, filters: string[], hasOffset: boolean): Statement<Row> {
  const name = [table.name, hasOffset ? 'page' : 'first', ...filters].join('.');
  let found = statements.get(name);
  if (!found) statements.set(name, (found = statement<Row>(name, pageSql(table, filters, hasOffset))));
  return found;
}

function pageSql(table: RecordTable<unknown>, filters: string[], hasOffset: boolean): string {
  const firstFilter = hasOffset ? 4 : 3;
  const conditions = filters.map((name, i) => table.filters![name]!.replaceAll('$filter', `$${firstFilter + i}`));
  const matching = ['r.org_id = $1', ...conditions].join(' AND ');
  const isWhole = filters.length === 0;
  return `${hasOffset && isWhole ? landmarkSql(table) : ''}
    SELECT t.total, ${hasOffset && isWhole ? '(SELECT position FROM landmark) AS landmark,' : ''} p.*
    FROM (${isWhole ? keptCountSql(table) : countedSql(table, matching)}) t
    LEFT JOIN LATERAL (
      SELECT ${selected(table)} FROM ${table.name} r
      WHERE ${matching} ${hasOffset ? `AND r.id >= (${startSql(table, matching, isWhole)})` : ''}
      ORDER BY r.id LIMIT $2
    ) p ON true
    ORDER BY p.id`;
}

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
