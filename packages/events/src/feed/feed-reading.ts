import type { Database, Db } from '@relata/db';
import { type Cursor, isBefore, noHorizon } from './feed-cursor.ts';
import { type EventFilters, findLastScanned, type StoredEvent } from './feed.sql.ts';
import { readBounded } from './read-bounded.ts';

/** What is read at once. */
export interface FeedReading extends EventFilters {
  order: 'asc' | 'desc';
  limit: number;
  /** Of text, about. */
  bytesMax: number;
}

/** Events, and where the reader stands behind them. */
export interface FeedPart {
  events: StoredEvent[];
  /** The last event that was looked at, whether it matched or not. */
  cursor: Cursor;
  hasMore: boolean;
}

/** Events that one reading looks at. */
const scanMax = 20_000;

/** The database to read from: what is passed over is read too, and may be much. */
export function databaseFor(database: Database, orgId: string, filters: EventFilters, signal?: AbortSignal): Db {
  return passesOver(filters) ? database.scanOf(orgId, signal) : database.of(orgId, signal);
}

/** Reads on from a cursor, as far as the feed is settled; nothing where it is settled on another server than is asked. */
export async function readPart(
  db: Db,
  orgId: string,
  { cursor, settled, server }: { cursor: Cursor; settled: number; server?: string | undefined },
  reading: FeedReading,
): Promise<FeedPart> {
  const isDescending = reading.order === 'desc';
  const part = isDescending
    ? { after: 0, upTo: Math.min(cursor.seq - 1, settled) }
    : { after: cursor.seq, upTo: settled };
  // All events of one record are few.
  const scan = reading.recordId === undefined ? scanMax : noHorizon;
  const range = { orgId, ...part, isDescending, limit: reading.limit, scan, server };
  const { events, isCut } = await readBounded(db, range, reading, reading.bytesMax);
  const behind = events.at(-1) ?? cursor;
  if (isCut || !passesOver(reading)) return { events, cursor: behind, hasMore: isCut };
  const last = await findLastScanned(db, range);
  const isPast = isDescending && reading.from !== undefined && last !== undefined && isBefore(last.id, reading.from);
  return { events, cursor: last ?? cursor, hasMore: last?.scanned === scanMax && !isPast };
}

/** Returns true if a read may look at events that do not match, and so end behind the last one that does. */
export function passesOver({ recordId, types, actorId, requestId, changed, from, before }: EventFilters): boolean {
  const given = [types, actorId, requestId, changed, from, before].some((filter) => filter !== undefined);
  return recordId === undefined && given;
}
