import type { Db } from '@relata/db';
import { type Cursor, isBefore, noWatermark } from './feed-cursor.ts';
import { type EventFilters, type EventRange, findLastScanned, type StoredEvent } from './feed.sql.ts';
import { readBounded } from './read-bounded.ts';

export interface FeedReading extends EventFilters {
  order: 'asc' | 'desc';
  limit: number;
  /** Approximate maximum of text, in bytes. */
  bytesMax: number;
}

/** Events, and the reader's position after them. */
export interface FeedPart {
  events: StoredEvent[];
  /** The last event that was examined, whether or not it matched. */
  cursor: Cursor;
  hasMore: boolean;
}

/** Maximum number of events that one read examines. */
const scanMax = 20_000;

/** Reads events after a cursor, up to the settled position; none if `server` is given and another server answers. */
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
  // A single record has few events.
  const scan = reading.recordId === undefined ? scanMax : noWatermark;
  const range = { orgId, ...part, isDescending, limit: reading.limit, scan, server };
  if (passesOver(reading)) return readExamined(db, range, reading, cursor);
  const { events, isCut } = await readBounded(db, range, reading, reading.bytesMax);
  return { events, cursor: events.at(-1) ?? cursor, hasMore: isCut };
}

/**
 * Reads a range in which events may not match. Finds the end of the range first: reading may take several statements,
 * and none of them may examine an event beyond the returned cursor.
 */
async function readExamined(db: Db, range: EventRange, reading: FeedReading, cursor: Cursor): Promise<FeedPart> {
  const { isDescending } = range;
  const last = await findLastScanned(db, range);
  if (!last) return { events: [], cursor, hasMore: false };
  const examined = isDescending ? { ...range, after: last.seq - 1 } : { ...range, upTo: last.seq };
  const { events, isCut } = await readBounded(db, examined, reading, reading.bytesMax);
  if (isCut) return { events, cursor: events.at(-1) ?? cursor, hasMore: true };
  const isPast = isDescending && reading.from !== undefined && isBefore(last.id, reading.from);
  return { events, cursor: last, hasMore: last.scanned === scanMax && !isPast };
}

/** Returns true if a read may examine events that do not match. Its cursor may then be beyond the last match. */
export function passesOver({ recordId, types, actorId, requestId, changed, from, before }: EventFilters): boolean {
  const given = [types, actorId, requestId, changed, from, before].some((filter) => filter !== undefined);
  return recordId === undefined && given;
}
