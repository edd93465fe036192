import { setTimeout as pause } from 'node:timers/promises';
import type { Database, Db } from '@relata/db';
import { Slots } from '@relata/runtime';
import { AppError } from '@relata/schemas';
import { EventHorizon } from './event-horizon.ts';
import {
  type EventFilters,
  type EventRange,
  findEnds,
  findEvent,
  findLastScanned,
  readEvents,
  type StoredEvent,
} from './feed.sql.ts';

export interface FeedQuery extends EventFilters {
  /** The id of an event, `start` or `latest`; the oldest that is kept unless given, or with `desc` the newest. */
  after?: string | undefined;
  order: 'asc' | 'desc';
  limit: number;
  /** How long to wait for the first event; for `asc` alone. */
  waitMs: number;
}

export interface FeedPage {
  events: StoredEvent[];
  /** Where to go on: behind the last event that was looked at, whether it matched or not. */
  nextCursor: string;
  hasMore: boolean;
}

/** Who reads, and for whom waiting may end early. */
export interface FeedReader {
  readonly hasLeft: boolean;
  /** True once the process is to stop. */
  readonly isStopping: boolean;
}

/** Events that one answer looks at. */
const scanMax = 20_000;
/** Text of one answer, about: the event that goes beyond it is the last. */
const answerBytesMax = 1_048_576;
/** An event may have 400 KB: how large these are is learnt from a few. */
const firstReadMax = 16;
const lookEveryMs = 250;
/** Readers that wait at once, of which one organization has half. */
const waitersMax = 400;
/** As far as a feed can go: the order of one record's events needs no horizon. */
const noHorizon = Number.MAX_SAFE_INTEGER;

/** Reads the events of organizations in the order of their numbers, without a gap. */
export class EventFeed {
  readonly #database: Database;
  readonly #horizon = new EventHorizon();
  readonly #waiters = new Slots(waitersMax);

  constructor(database: Database) {
    this.#database = database;
  }

  /** Throws `validation_error` for a cursor that never was one, and `cursor_expired` for one of an event that was dropped. */
  async read(orgId: string, query: FeedQuery, reader: FeedReader): Promise<FeedPage> {
    const page = await this.#readOnce(orgId, query);
    if (page.events.length > 0 || query.waitMs === 0) return page;
    if (!this.#waiters.take([orgId])) throw new AppError('service_unavailable', tooManyWait, { retryAfterSeconds: 1 });
    try {
      return await this.#readUntilSome(orgId, { ...query, after: page.nextCursor }, reader);
    } finally {
      this.#waiters.release([orgId]);
    }
  }

  find(orgId: string, id: string): Promise<StoredEvent | undefined> {
    return findEvent(this.#database.of(orgId), orgId, id);
  }

  async #readUntilSome(orgId: string, query: FeedQuery, reader: FeedReader): Promise<FeedPage> {
    const deadline = performance.now() + query.waitMs;
    let { after } = query;
    for (;;) {
      await pause(Math.max(0, Math.min(lookEveryMs, deadline - performance.now())));
      const page = await this.#readOnce(orgId, { ...query, after });
      const isOver = reader.hasLeft || reader.isStopping || performance.now() >= deadline;
      if (page.events.length > 0 || isOver) return page;
      after = page.nextCursor;
    }
  }

  async #readOnce(orgId: string, query: FeedQuery): Promise<FeedPage> {
    const db = this.#database.of(orgId);
    const settled = query.recordId === undefined ? await this.#horizon.settled(db, orgId) : noHorizon;
    const cursor = await resolveCursor(db, orgId, query, settled);
    const isDescending = query.order === 'desc';
    const part = isDescending
      ? { after: 0, upTo: Math.min(cursor.seq - 1, settled) }
      : { after: cursor.seq, upTo: settled };
    // All events of one record are few.
    const scan = query.recordId === undefined ? scanMax : noHorizon;
    const range = { orgId, ...part, isDescending, limit: query.limit, scan };
    const { events, isCut } = await readBounded(db, range, query);
    const lastId = events.at(-1)?.id ?? cursor.id;
    if (isCut || !passesOver(query)) return { events, nextCursor: lastId, hasMore: isCut };
    const last = await findLastScanned(db, range);
    return { events, nextCursor: last?.id ?? cursor.id, hasMore: last?.scanned === scanMax };
  }
}

/** Returns true if a read may look at events that do not match, and so end behind the last one that does. */
function passesOver({ recordId, types, actorId, requestId, changed, from, before }: FeedQuery): boolean {
  const given = [types, actorId, requestId, changed, from, before].some((filter) => filter !== undefined);
  return recordId === undefined && given;
}

const tooManyWait = 'Too many readers wait for events right now. Try again.';

interface Cursor {
  /** What the reader goes on from if nothing comes behind it. */
  id: string;
  seq: number;
}

async function resolveCursor(db: Db, orgId: string, query: FeedQuery, settled: number): Promise<Cursor> {
  const isDescending = query.order === 'desc';
  const { after = isDescending ? 'latest' : 'start' } = query;
  if (after === 'start') return { id: 'start', seq: 0 };
  if (after !== 'latest') return cursorAt(db, orgId, after);
  if (isDescending) return { id: 'latest', seq: noHorizon };
  const { newest } = await findEnds(db, orgId, settled);
  return newest ?? { id: 'start', seq: 0 };
}

async function cursorAt(db: Db, orgId: string, id: string): Promise<Cursor> {
  const found = await findEvent(db, orgId, id);
  if (found) return { id, seq: found.seq };
  const { oldest } = await findEnds(db, orgId, noHorizon);
  // Ids ascend with time, whoever's they are.
  if (oldest && id < oldest.id)
    throw new AppError('cursor_expired', cursorExpired, { data: { oldest_cursor: 'start' } });
  throw new AppError('validation_error', '1 field is invalid.', {
    details: [{ in: 'query', field: 'after', code: 'invalid_cursor', message: 'Is no event of this organization.' }],
  });
}

const cursorExpired = 'The event is kept no longer. Go on from `oldest_cursor`: events between may be missed.';

/** The events that match, as far as they fit into one answer; `isCut`: there are more of them in the range. */
async function readBounded(db: Db, range: EventRange, filters: EventFilters) {
  const events: StoredEvent[] = [];
  let bytes = 0;
  let rest = range;
  for (let ask = Math.min(range.limit + 1, firstReadMax); ;) {
    const read = await readEvents(db, { ...rest, limit: ask }, filters);
    for (const event of read) {
      if (events.length === range.limit || bytes > answerBytesMax) return { events, isCut: true };
      events.push(event);
      bytes += sizeOf(event);
    }
    if (read.length < ask) return { events, isCut: false };
    rest = behind(rest, read.at(-1)!.seq);
    const average = bytes / events.length;
    ask = Math.max(1, Math.min(range.limit + 1 - events.length, Math.ceil((answerBytesMax - bytes) / average) + 1));
  }
}

function behind(range: EventRange, seq: number): EventRange {
  return range.isDescending ? { ...range, upTo: seq - 1 } : { ...range, after: seq };
}

/** About: what is long is text. */
function sizeOf({ record, previous }: StoredEvent): number {
  let size = 300;
  for (const values of [record, previous])
    for (const name in values) {
      const value = values[name];
      size += name.length + (typeof value === 'string' ? value.length : Array.isArray(value) ? value.join().length : 8);
    }
  return size;
}
