import type { Db } from '@relata/db';
import type { Row } from '../table/record-column.ts';
import type { RecordTable } from '../table/record-table.ts';
import { type Expanded, expandRows } from './expand.sql.ts';
import type { Summary } from './summary.sql.ts';
import { type Listed, type Page, pageBytesMax, type PageQuery } from './record-page.sql.ts';

/** Parameters that select the shown parts of each record. */
export interface Showing {
  /** Names of related records to add. */
  expand?: readonly string[] | undefined;
  /** Fields to keep; undefined to keep all fields. */
  fields?: readonly string[] | undefined;
}

/** Adds related records to a page, and leaves out the fields that were not requested. */
export async function showPage<Rec>(
  db: Db,
  orgId: string,
  table: RecordTable<Rec>,
  query: PageQuery & Showing,
  listed: Listed<Rec>,
): Promise<Listed<Rec>> {
  const { expand = [], fields } = query;
  const rows = listed.page.data as Row[];
  const expanded = await expandRows(db, orgId, table, expand, rows);
  const data = showRows(rows, expanded, fields);
  const count = expand.length > 0 ? endOfPage(data) : data.length;
  return { ...listed, page: cut({ ...listed.page, data: data as Rec[] }, count, listed, query) };
}

/** Adds related records to the groups of a summary. */
export async function showGroups(
  db: Db,
  orgId: string,
  table: RecordTable<unknown>,
  { expand }: Showing,
  summary: Summary,
): Promise<Summary> {
  if (!expand) return summary;
  const expanded = await expandRows(db, orgId, table, expand, summary.data);
  const data = summary.data.map((group, at) => ({ ...group, ...expanded[at] }));
  const count = endOfPage(data);
  return { ...summary, data: data.slice(0, count), has_more: summary.has_more || count < data.length };
}

/** Returns a record with its related records. */
export async function showRecord(
  db: Db,
  orgId: string,
  table: RecordTable<unknown>,
  expand: readonly string[],
  record: Row,
): Promise<Row> {
  const [shown] = showRows([record], await expandRows(db, orgId, table, expand, [record]));
  return shown!;
}

/** Returns rows with their related records, which come before the times at the end of a record. */
function showRows(rows: readonly Row[], expanded: Expanded, fields?: readonly string[]): Row[] {
  return rows.map((row, at) => {
    const { created_at, updated_at, ...others } = fields ? pick(row, fields) : row;
    const times = { created_at, updated_at };
    return { ...others, ...expanded[at], ...pick(times, fields ?? Object.keys(times)) };
  });
}

function pick(row: Row, fields: readonly string[]): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => name === 'id' || fields.includes(name)));
}

/** Returns the number of rows that a page may have. The row that exceeds `pageBytesMax` is the last one. */
function endOfPage(rows: readonly unknown[]): number {
  let bytes = 0;
  const last = rows.findIndex((row) => (bytes += Buffer.byteLength(JSON.stringify(row))) > pageBytesMax);
  return last < 0 ? rows.length : last + 1;
}

/** Returns a page with only the first `count` rows. */
function cut<Rec>(page: Page<Rec>, count: number, { cursorAfter }: Listed<Rec>, query: PageQuery): Page<Rec> {
  if (count === page.data.length) return page;
  const total = query.count === 'none' ? page.offset + count + 1 : page.total;
  const data = page.data.slice(0, count);
  return { ...page, data, total, has_more: true, next_cursor: cursorAfter(count - 1) };
}
