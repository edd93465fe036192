import { firstIdAt } from '@relata/db';

/** Maximum number of rows examined for one page if no index serves the filter. */
export const scannedMax = 10_000;

/** Part of a list that is read by id, newest first. Ids increase with time. */
export interface ListWindow {
  limit: number;
  /** Only rows before this id. */
  before?: string | undefined;
  /** Only rows created at or after this time, in ISO 8601. */
  from?: string | undefined;
  /** Only rows created before this time, in ISO 8601. */
  to?: string | undefined;
}

/** A page; `next` is the id to continue before, undefined if there are no older rows. */
export interface ListPage<Row> {
  rows: Row[];
  next: string | undefined;
}

/** Lower than every id that the service makes. */
export const lowestId = '00000000-0000-0000-0000-000000000000';
const beyond = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Returns a range of ids: `low` is included, `high` is not. Ids as text have the same order as in PostgreSQL. */
export function idRange({ before, from, to }: Omit<ListWindow, 'limit'>): { low: string; high: string } {
  const older = (before ?? beyond).toLowerCase();
  const end = to === undefined ? beyond : idAt(to);
  return { low: from === undefined ? lowestId : idAt(from), high: older < end ? older : end };
}

const idAt = (instant: string) => firstIdAt(Date.parse(instant));

/**
 * Returns a page of a filtered list, for which a bounded number of rows is examined. `findFloor` returns the id of the
 * last of these rows, or undefined if there are fewer. A page may therefore have fewer rows than its limit, or none,
 * and still be followed by another page.
 */
export async function boundedPage<Row extends { id: string }>(
  window: ListWindow,
  findFloor: (ids: { low: string; high: string }) => Promise<string | undefined>,
  list: (ids: { low: string; high: string }, limit: number) => Promise<Row[]>,
): Promise<ListPage<Row>> {
  const ids = idRange(window);
  const floor = await findFloor(ids);
  const found = await list({ ...ids, low: floor ?? ids.low }, window.limit + 1);
  const rows = found.slice(0, window.limit);
  return { rows, next: found.length > window.limit ? rows.at(-1)!.id : floor };
}
