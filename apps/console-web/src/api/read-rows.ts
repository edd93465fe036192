/** A page of a list, newest first. No rows are missing between its first row and the cursor `next`. */
export interface Page<Row> {
  data: Row[];
  next: string | null;
}

/** The rows read so far, from the newest to `next`. */
export interface ReadRows<Row> {
  rows: Row[];
  next: string | null;
  /** Number of consecutive pages that were read. */
  pageCount: number;
  /** True if the last page had no matching row. */
  isDry: boolean;
}

export function startRows<Row>({ data, next }: Page<Row>): ReadRows<Row> {
  return { rows: data, next, pageCount: 1, isDry: data.length === 0 };
}

export function withMore<Row>(list: ReadRows<Row>, { data, next }: Page<Row>): ReadRows<Row> {
  return { rows: [...list.rows, ...data], next, pageCount: list.pageCount + 1, isDry: data.length === 0 };
}

/** True if no rows are missing between the newest page and the rows read before. */
export function meets<Row extends { id: string }>({ next }: Page<Row>, { rows }: ReadRows<Row>): boolean {
  return next === null || (rows.length > 0 && next <= rows[0]!.id);
}

/** Returns the id of the row above the visible ones; undefined if the newest page contains all visible rows. */
export function findIdAbove<Row extends { id: string }>(
  list: ReadRows<Row> | undefined,
  seen: { from: string; to: string } | undefined,
  { next }: Page<Row>,
): string | undefined {
  if (!list || !seen || next === null || seen.to >= next) return undefined;
  const at = list.rows.findIndex(({ id }) => id <= seen.from);
  return at > 0 ? list.rows[at - 1]!.id : undefined;
}

/** Replaces part of a list with a newly read page: the page of rows older than `before`, or the newest page. */
export function withPage<Row extends { id: string }>(
  list: ReadRows<Row>,
  before: string | undefined,
  { data, next }: Page<Row>,
): ReadRows<Row> {
  const above = before === undefined ? [] : list.rows.filter(({ id }) => id >= before);
  const below = next === null ? [] : list.rows.filter(({ id }) => id < next);
  const isEnd = next === null || (list.next !== null && next < list.next);
  return { ...list, rows: [...above, ...data, ...below], next: isEnd ? next : list.next };
}
