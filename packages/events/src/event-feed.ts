import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '@relata/db';
import { Slots } from '@relata/runtime';
import { AppError } from '@relata/schemas';
import { EventHorizon } from './event-horizon.ts';
import { noHorizon, resolveCursor } from './feed-cursor.ts';
import { type EventFilters, findEvent, findLastScanned, type StoredEvent } from './feed.sql.ts';
import { readBounded } from './read-bounded.ts';

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
const lookEveryMs = 250;
/** Readers that wait at once, of which one organization has half: each looks four times a second. */
const waitersMax = 100;

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
    // What is passed over is read too, and may be much.
    const db = passesOver(query) ? this.#database.scanOf(orgId) : this.#database.of(orgId);
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
