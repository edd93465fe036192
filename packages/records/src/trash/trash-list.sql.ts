import { type Db, findWith, type Statement, statement } from '@relata/db';
import type { TrashEntry, TrashQuery } from '@relata/schemas';
import { type CursorScope, decodeTimeCursor, encodeCursor } from '../lists/list-cursor.ts';
import { pageBytesMax } from '../lists/record-page.sql.ts';
import { shownEntry, type StoredEntry } from './trash-entry.ts';

/** Number up to which matching entries are counted. */
const totalMax = 10_000;

/** SQL conditions by parameter; `$value` stands for the value. */
const conditions = {
  resource: 't.resource = $value::text',
  deletion_id: 't.deletion_id = $value::uuid',
  'deleted_at[gte]': 't.deleted_at >= $value::timestamptz',
  'deleted_at[lt]': 't.deleted_at < $value::timestamptz',
} satisfies Partial<Record<keyof TrashQuery, string>>;

type Filter = keyof typeof conditions;

const filterNames = Object.keys(conditions) as Filter[];

export interface TrashPage {
  data: TrashEntry[];
  total: number;
  total_relation?: 'gte';
  limit: number;
  offset: 0;
  has_more: boolean;
  next_cursor?: string;
}

type PageRow = { total: number; has_next: boolean } & (StoredEntry | { id: null });

/** Lists deleted records, the newest deletion first. */
export async function listTrash(db: Db, orgId: string, query: TrashQuery, trashDays: number): Promise<TrashPage> {
  const { limit, cursor } = query;
  const filters = filterNames.filter((name) => query[name] !== undefined);
  const scope: CursorScope = {
    orgId,
    list: 'trash',
    sort: '-deleted_at',
    filters: filters.map((name) => [name, query[name]] as const),
  };
  const before = cursor === undefined ? undefined : decodeTimeCursor(scope, cursor);
  const values = [orgId, limit, ...(before ? [before.time, before.id] : []), ...filters.map((name) => query[name])];
  const rows = await db.query(pageStatement(filters, before !== undefined), values);
  const found = rows.filter((row) => row.id !== null) as (PageRow & StoredEntry)[];
  const total = rows[0]!.total;
  const last = found.at(-1);
  return {
    data: found.map((row) => shownEntry(row, trashDays)),
    total: Math.min(total, totalMax),
    ...(total > totalMax && { total_relation: 'gte' }),
    limit,
    offset: 0,
    has_more: last?.has_next ?? false,
    ...(last?.has_next && { next_cursor: encodeCursor(scope, { id: last.id, key: last.deleted_at }) }),
  };
}

const statements = new Map<string, Statement<PageRow>>();

function pageStatement(filters: readonly Filter[], hasCursor: boolean): Statement<PageRow> {
  const name = ['trash', hasCursor ? 'after' : 'page', ...filters.map((filter) => filterNames.indexOf(filter))].join(
    '.',
  );
  return statements.getOrInsertComputed(name, () => statement(name, pageSql(filters, hasCursor)));
}

function pageSql(filters: readonly Filter[], hasCursor: boolean): string {
  const first = hasCursor ? 5 : 3;
  const given = filters.map((name, i) => conditions[name].replace('$value', `$${first + i}`));
  const matching = ['t.org_id = $1', 't.record IS NOT NULL', ...given].join(' AND ');
  const order = 'ORDER BY deleted_at DESC, id DESC';
  // A row beyond the limit shows that more rows follow. PostgreSQL knows the size of a long value without reading it.
  return `SELECT counted.total, page.* FROM (
      SELECT count(*)::integer AS total FROM (SELECT FROM trash t WHERE ${matching} LIMIT ${totalMax + 1}) each
    ) counted LEFT JOIN LATERAL (
      SELECT id, resource, deletion_id, deleted_at, merged_into, record, has_next FROM (
        SELECT *, lead(id) OVER (${order}) IS NOT NULL AS has_next, row_number() OVER (${order}) AS place,
          sum(octet_length(record::text)) OVER (${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
        FROM (
          SELECT t.* FROM trash t WHERE ${matching} ${hasCursor ? 'AND (t.deleted_at, t.id) < ($3::timestamptz, $4::uuid)' : ''}
          ${order} LIMIT $2::integer + 1
        ) peeked
      ) bounded WHERE place <= $2 AND coalesce(before, 0) < ${pageBytesMax}
    ) page ON true ORDER BY page.deleted_at DESC, page.id DESC`;
}

/** Finds a deleted record; undefined if it is not in the trash. */
export const findTrashEntry = findWith<StoredEntry, [orgId: string, id: string]>(
  'trash.find',
  `SELECT id, resource, deletion_id, deleted_at, merged_into, record FROM trash
   WHERE org_id = $1 AND id = $2 AND record IS NOT NULL`,
);
