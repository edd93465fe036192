import { type Database, type Db, inSlots } from '@relata/db';
import { Slots } from '@relata/runtime';
import { AppError } from '@relata/schemas/errors';
import type { EventNotifier } from '../event-notifier.ts';
import { EventWatermark } from './event-watermark.ts';
import { type Cursor, noWatermark, resolveEnd, resolveFixed } from './feed-cursor.ts';
import { type FeedPart, type FeedReading, passesOver, readPart } from './feed-reading.ts';
import { type EventFilters, findEnds, findEvent, type Position, type StoredEvent } from './feed.sql.ts';
import type { FeedHead, FeedWatch } from './feed-watch.ts';
import { FeedWatches } from './feed-watches.ts';
import { SharedParts } from './shared-parts.ts';

/** Filters for events, and the cursor after which they start. */
export interface FeedSelection extends EventFilters {
  /** Id of an event, `start` or `latest`. Defaults to the oldest stored event, or with `desc` to the newest. */
  after?: string | undefined;
}

export interface FeedQuery extends FeedSelection {
  order: 'asc' | 'desc';
  limit: number;
  /** Time to wait for the first event, in ms; only with `asc`. */
  waitMs: number;
}

export interface FeedPage {
  events: StoredEvent[];
  /** Cursor to continue from: the last event that was examined, whether or not it matched. */
  nextCursor: string;
  hasMore: boolean;
}

/** Approximate maximum of text in one answer, in bytes. */
const responseBytesMax = 1_048_576;
/** Limits of one read for a follower, since events stay in memory until the follower has received them. */
const followed = { order: 'asc', limit: 100, bytesMax: 262_144 } as const;
/** Maximum number of waiting readers. One organization gets at most half of them. */
const waitersMax = 100;
/**
 * Maximum number of concurrent statements for all followers and waiting readers; the other connections are for
 * everything else.
 */
const followerReadsMax = 4;

/** Reads the events of organizations in the order of their numbers, without a gap. */
export class EventFeed {
  readonly #database: Database;
  readonly #watermark = new EventWatermark();
  readonly #watches: FeedWatches;
  readonly #waiters = new Slots(waitersMax);
  readonly #reads = new Slots(followerReadsMax);
  readonly #parts = new SharedParts();

  /** Without a notifier, a waiting reader sees an event up to 250 ms later. */
  constructor(database: Database, eventNotifier?: EventNotifier) {
    this.#database = database;
    this.#watches = new FeedWatches(database, this.#watermark);
    eventNotifier?.onWritten((orgId) => this.#watches.wake(orgId));
  }

  /**
   * Reads a page. Waiting ends early, without an event, when the signal is aborted. Throws `validation_error` for a
   * cursor that never existed, `cursor_expired` if its event was deleted, and `service_unavailable` if too many readers
   * wait.
   */
  async read(orgId: string, query: FeedQuery, signal?: AbortSignal): Promise<FeedPage> {
    const reading = { ...query, bytesMax: responseBytesMax };
    if (query.waitMs === 0) return pageOf(await this.#readFirst(orgId, query.after, reading));
    using follower = this.#watches.follow(orgId);
    const first = await this.#readFirst(orgId, query.after, reading);
    if (first.events.length > 0) return pageOf(first);
    if (!this.#waiters.take([orgId])) throw new AppError('service_unavailable', tooManyWait, { retryAfterSeconds: 1 });
    try {
      const over = AbortSignal.timeout(Math.ceil(query.waitMs));
      const ending = signal ? AbortSignal.any([signal, over]) : over;
      return pageOf(await this.#readUntilSome(orgId, follower.watch, first, { reading, signal: ending }));
    } finally {
      this.#waiters.release([orgId]);
    }
  }

  /**
   * Yields the events after a cursor page by page, as they appear; ends when the signal is aborted. The first page
   * comes at once, with or without events. A later page without events only moves the cursor. Throws the errors of
   * `read` for a cursor, and the signal's reason if the abort cancelled a statement.
   */
  async *follow(orgId: string, { after, ...filters }: FeedSelection, signal: AbortSignal): AsyncGenerator<FeedPage> {
    using follower = this.#watches.follow(orgId);
    const reading = { ...filters, ...followed };
    const db = inSlots(this.#dbFor(orgId, filters, signal), this.#reads, orgId, signal);
    // Events of a single record could be shown before they are settled, but the cursor of a page is valid for all
    // records, so it must be settled. Other readers share this look at the watermark, so it is not cancelled with this
    // reader.
    const settled = await this.#watermark.settled(inSlots(this.#database.of(orgId), this.#reads, orgId), orgId);
    for (let part: FeedPart | undefined = await this.#readFirst(orgId, after, reading, { db, settled }); part;) {
      yield pageOf(part);
      part = await this.#readOn(orgId, follower.watch, part, { reading, signal });
    }
  }

  find(orgId: string, id: string): Promise<StoredEvent | undefined> {
    return findEvent(this.#database.of(orgId), orgId, id);
  }

  async #readFirst(orgId: string, after: string | undefined, reading: FeedReading, given?: Settled): Promise<FeedPart> {
    const cursor = isFixed(reading, after)
      ? await resolveFixed(given?.db ?? this.#dbFor(orgId, reading), orgId, after)
      : undefined;
    const shown = cursor && !given ? await this.#readShown(orgId, cursor, reading) : undefined;
    if (shown) return shown;
    const { db, settled, server, newest } = given ?? (await this.#settled(orgId, after, reading));
    if (settled === 0 && (after === 'latest' || reading.order === 'desc')) await requireNoEvents(db, orgId);
    const from = cursor ?? (await resolveEnd(db, orgId, reading, settled));
    const part = await readPart(db, orgId, { cursor: from, settled }, reading);
    if (server !== undefined) this.#watermark.show(orgId, server, part.events);
    return newest ? movedTo(newest, part) : part;
  }

  /**
   * Reads a full part of the events that are already known to be settled, so that a reader that is catching up needs no
   * new look at the watermark. Returns undefined if they do not fill a part, or if the server has changed.
   */
  async #readShown(orgId: string, cursor: Cursor, reading: FeedReading): Promise<FeedPart | undefined> {
    const { settled, server } = this.#watermark.shown(orgId);
    const mayBeFull = settled - cursor.seq > reading.limit;
    if (!mayBeFull || reading.recordId !== undefined || passesOver(reading)) return undefined;
    const part = await readPart(this.#dbFor(orgId, reading), orgId, { cursor, settled, server }, reading);
    return part.hasMore ? part : undefined;
  }

  /**
   * Returns how far the feed is settled. The events of one record are in order without a watermark, but a cursor that
   * is chosen from the events of all records must be settled.
   */
  async #settled(orgId: string, after: string | undefined, reading: FeedReading): Promise<Settled> {
    const db = this.#dbFor(orgId, reading);
    const isOfRecord = reading.recordId !== undefined;
    if (isOfRecord && reading.order === 'desc') return { db, settled: noWatermark };
    const settled = await this.#watermark.settled(db, orgId);
    if (!isOfRecord || after === 'latest') return { db, settled, server: this.#watermark.shown(orgId).server };
    return { db, settled: noWatermark, newest: (await findEnds(db, orgId, settled)).newest };
  }

  /**
   * Returns the connections to read with. Reads with filters may examine many rows, so they use the connections for
   * scans.
   */
  #dbFor(orgId: string, filters: EventFilters, signal?: AbortSignal): Db {
    return passesOver(filters) ? this.#database.scanOf(orgId, signal) : this.#database.of(orgId, signal);
  }

  async #readUntilSome(orgId: string, watch: FeedWatch, first: FeedPart, following: Following): Promise<FeedPart> {
    let part = first;
    while (part.events.length === 0) {
      const next = await this.#readOn(orgId, watch, part, following);
      if (!next) return part;
      part = next;
    }
    return part;
  }

  /** Waits for events after a part and reads them; returns undefined once the signal is aborted. */
  async #readOn(orgId: string, watch: FeedWatch, { cursor, hasMore }: FeedPart, { reading, signal }: Following) {
    if (hasMore) watch.wake();
    const head = await watch.next(cursor.seq, signal);
    if (!head) return undefined;
    // The key includes the server, since another server may assign the same numbers again.
    const place = JSON.stringify([orgId, this.#watermark.shown(orgId).server, cursor.seq, reading]);
    return this.#parts.read(place, cursor.seq, () => this.#readPart(orgId, cursor, head, reading));
  }

  /** Reads a part without the reader's signal, since other readers share the part. */
  async #readPart(orgId: string, cursor: Cursor, head: FeedHead, reading: FeedReading): Promise<FeedPart> {
    const db = inSlots(this.#dbFor(orgId, reading), this.#reads, orgId);
    // Reads up to an existing event, since its number is final. A higher number that no event has may be drawn again
    // after a crash.
    const settled = head.newest?.seq ?? head.settled;
    const part = await readPart(db, orgId, { cursor, settled }, reading);
    return head.newest && reading.recordId !== undefined ? movedTo(head.newest, part) : part;
  }
}

interface Settled {
  db: Db;
  settled: number;
  /** The server for which the settled position is known; undefined if no watermark is needed. */
  server?: string | undefined;
  /** Newest settled event. A reader of a single record moves its cursor to this event. */
  newest?: Position | null;
}

interface Following {
  reading: FeedReading;
  signal: AbortSignal;
}

/** Returns true if the start of a query does not depend on how far the feed is settled. */
function isFixed({ order }: FeedReading, after: string | undefined): boolean {
  return after === undefined ? order === 'asc' : after !== 'latest';
}

/** Moves the cursor of a reader of a single record to a settled event, past the events of other records. */
function movedTo(settled: Position, part: FeedPart): FeedPart {
  return part.hasMore || part.cursor.seq >= settled.seq ? part : { ...part, cursor: settled };
}

function pageOf({ events, cursor, hasMore }: FeedPart): FeedPage {
  return { events, nextCursor: cursor.id, hasMore };
}

const tooManyWait = 'Too many requests are waiting for events. Try again.';

/**
 * Throws `service_unavailable` if there are events. After a start of the process or of PostgreSQL, the end of the feed
 * is unknown until the active writers of the organization have ended.
 */
async function requireNoEvents(db: Db, orgId: string): Promise<void> {
  if (!(await findEnds(db, orgId, noWatermark)).newest) return;
  throw new AppError('service_unavailable', 'The newest events are being written. Try again.', {
    retryAfterSeconds: 1,
  });
}
