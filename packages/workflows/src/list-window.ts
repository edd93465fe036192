import { firstIdAt } from '@relata/db';

/** How many rows a filter that no index serves looks at for one page. */
export const scannedMax = 10_000;

/** Which part of a list that is read from the newest on, by ids, whose order is that of time. */
export interface ListWindow {
  limit: number;
  /** Only what is older than this id. */
  before?: string | undefined;
  /** Only what was made then or later; an instant in ISO 8601. */
  from?: string | undefined;
  /** Only what was made before. */
  to?: string | undefined;
}

/** A page, and the id to go on before; undefined where there is nothing older. */
export interface ListPage<Row> {
  rows: Row[];
  next: string | undefined;
}

const lowest = '00000000-0000-0000-0000-000000000000';
const beyond = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Ids from `low` on and below `high`; as text they have the order that PostgreSQL gives them. */
export function idsOf({ before, from, to }: Omit<ListWindow, 'limit'>): { low: string; high: string } {
  const older = (before ?? beyond).toLowerCase();
  const end = to === undefined ? beyond : idAt(to);
  return { low: from === undefined ? lowest : idAt(from), high: older < end ? older : end };
}

const idAt = (instant: string) => firstIdAt(Date.parse(instant));

/**
 * A page of a filtered list, for which no more than a bounded number of rows is looked at. `findFloor` finds the last id of
 * those; undefined where there are fewer. The page may so have fewer rows than its limit, or none, and still a next one.
 */
export async function boundedPage<Row extends { id: string }>(
  window: ListWindow,
  findFloor: (ids: { low: string; high: string }) => Promise<string | undefined>,
  list: (ids: { low: string; high: string }, limit: number) => Promise<Row[]>,
): Promise<ListPage<Row>> {
  const ids = idsOf(window);
  const floor = await findFloor(ids);
  const found = await list({ ...ids, low: floor ?? ids.low }, window.limit + 1);
  const rows = found.slice(0, window.limit);
  return { rows, next: found.length > window.limit ? rows.at(-1)!.id : floor };
}
