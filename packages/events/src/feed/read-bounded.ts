import type { Db } from '@relata/db';
import { type EventFilters, type EventRange, readEvents, type StoredEvent } from './feed.sql.ts';

/** Number of events in the first read, which shows how large they are: an event may have 400 KB. */
const firstReadMax = 16;

/**
 * Reads the matching events, up to about `bytesMax` of text: the event that exceeds it is the last. `isCut`: the range
 * has further matches.
 */
export async function readBounded(db: Db, range: EventRange, filters: EventFilters, bytesMax: number) {
  const events: StoredEvent[] = [];
  let bytes = 0;
  let rest = range;
  for (let ask = Math.min(range.limit + 1, firstReadMax); ;) {
    const read = await readEvents(db, { ...rest, limit: ask }, filters);
    for (const event of read) {
      if (events.length === range.limit || bytes > bytesMax) return { events, isCut: true };
      events.push(event);
      bytes += sizeOf(event);
    }
    if (read.length < ask) return { events, isCut: false };
    rest = behind(rest, read.at(-1)!.seq);
    const average = bytes / events.length;
    ask = Math.max(1, Math.min(range.limit + 1 - events.length, Math.ceil((bytesMax - bytes) / average) + 1));
  }
}

function behind(range: EventRange, seq: number): EventRange {
  return range.isDescending ? { ...range, upTo: seq - 1 } : { ...range, after: seq };
}

/**
 * Returns the approximate size of an event, in characters. Only texts and lists are measured; other values are short.
 */
function sizeOf({ record, previous }: StoredEvent): number {
  let size = 300;
  for (const values of [record, previous])
    for (const name in values) {
      const value = values[name];
      size += name.length + (typeof value === 'string' ? value.length : Array.isArray(value) ? value.join().length : 8);
    }
  return size;
}
