import { type Db, firstIdAt } from '@relata/db';
import { AppError, validationError } from '@relata/schemas/errors';
import { findEnds, findPosition, findSince } from './feed.sql.ts';

/** A settled position without a limit: the events of one record are in order without a watermark. */
export const noWatermark = Number.MAX_SAFE_INTEGER;

export interface Cursor {
  /** Id from which the reader continues if no event follows. */
  id: string;
  seq: number;
}

/** Returns the start of a query that does not begin at the end of the feed. */
export function resolveFixed(db: Db, orgId: string, after = 'start'): Promise<Cursor> {
  return after === 'start' ? Promise.resolve({ id: 'start', seq: 0 }) : cursorAt(db, orgId, after);
}

/**
 * Returns the start of a query that begins at the end of the feed; `settled` is the position up to which the feed may be
 * shown.
 */
export async function resolveEnd(
  db: Db,
  orgId: string,
  { order, before }: { order: 'asc' | 'desc'; before?: string | undefined },
  settled: number,
): Promise<Cursor> {
  if (order === 'asc') return (await findEnds(db, orgId, settled)).newest ?? { id: 'start', seq: 0 };
  const newest = { id: 'latest', seq: noWatermark };
  if (before === undefined) return newest;
  // Skips newer events by an index look-up, instead of one by one.
  return (await findSince(db, orgId, firstIdAt(Date.parse(before) + idSlackMs))) ?? newest;
}

/**
 * Tolerance between ids and `created_at`: ids have the time of the app that created them, while `created_at` has the
 * time of the database when the transaction began.
 */
const idSlackMs = 3_600_000;

/** Returns true if neither the event with this id nor an older one can have been created at or after a time. */
export const isBefore = (id: string, from: string): boolean => id < firstIdAt(Date.parse(from) - idSlackMs);

async function cursorAt(db: Db, orgId: string, id: string): Promise<Cursor> {
  const found = await findPosition(db, orgId, id);
  if (found) return found;
  const { oldest } = await findEnds(db, orgId, noWatermark);
  // Ids ascend with time, across all organizations.
  if (oldest && id < oldest.id)
    throw new AppError('cursor_expired', cursorExpired, { data: { oldest_cursor: 'start' } });
  const message = 'Must be the id of an event of this organization.';
  throw validationError([{ in: 'query', field: 'after', code: 'invalid_cursor', message }]);
}

const cursorExpired = 'The event was deleted. Continue from `oldest_cursor`; you may have missed events in between.';
