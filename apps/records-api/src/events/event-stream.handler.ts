import type { Caller } from '@relata/auth';
import type { EventFeed, FeedPage, FeedSelection } from '@relata/events';
import {
  type Authenticate,
  EventStream,
  type Exchange,
  type HandlerContext,
  loopTurns,
  StreamedResponse,
  StreamSlots,
} from '@relata/http';
import { DisconnectedError } from '@relata/runtime';
import { recordsOperations } from '@relata/schemas';
import { streamBytes } from './event-stream.format.ts';

export interface EventStreamOptions {
  feed: EventFeed;
  /** Finds the caller of a request. It is called again while a stream is open, since the key may be revoked. */
  authenticate: Authenticate;
  /** Time after which a stream ends and its client reconnects; 10 minutes by default. */
  lastsMs?: number;
  /** Interval of keep-alive comments; 15 seconds by default. */
  commentEveryMs?: number;
}

/** Delay before a client reconnects after its stream has ended. */
const retryMs = 1_000;
/** Maximum number of streams per process. Each organization has its share; a single organization gets half. */
const streamsMax = 100;
/** Maximum number of streams per key and process. */
const ofOneMax = 5;
/** Seconds after which to retry a refused stream: not many, since every stream ends after at most ten minutes. */
const retryAfterSeconds = 10;
const tooManyOfOne = `The API key has ${ofOneMax} event streams open, which is the limit. Close one, or try again later.`;

/** Creates the slots for the streams of a process. */
export const newPlaces = () => new StreamSlots({ streamsMax, ofOneMax, retryAfterSeconds, tooManyOfOne });

/** Serves the feed as server-sent events. */
export class EventStreamHandler {
  readonly #options: Required<EventStreamOptions>;
  readonly #places = newPlaces();

  constructor(options: EventStreamOptions) {
    this.#options = { lastsMs: 600_000, commentEveryMs: 15_000, ...options };
  }

  /**
   * Opens a stream. It reads the first page before sending the response headers, so that errors get the usual response.
   */
  async open(selection: FeedSelection, { caller, exchange, log }: HandlerContext): Promise<StreamedResponse> {
    const { response } = exchange;
    const { orgId, keyId } = caller;
    this.#places.take(exchange, [orgId, keyId]);
    const isAllowed = () => this.#isAllowed(exchange, caller);
    const stream = new EventStream(exchange, { ...this.#options, retryMs, isAllowed });
    const pages = this.#options.feed.follow(orgId, selection, stream.signal);
    // This ends the feed even if no page was read.
    response.once('close', () => void pages.return(undefined));
    const first = await firstOf(pages);
    exchange.operation = 'streamEvents';
    return new StreamedResponse(async () => {
      try {
        await sendEvents(stream, orgId, first, pages);
      } catch (error) {
        if (!stream.signal.aborted) log.warn({ err: error, ...exchange.logIds }, 'a stream of events was cut off');
      } finally {
        stream.close();
      }
    });
  }

  /**
   * Returns true if the key may still read events. If that cannot be determined, it returns false: the client then
   * reconnects and gets the usual response.
   */
  async #isAllowed({ response }: Exchange, { keyId }: Caller): Promise<boolean> {
    try {
      const caller = await this.#options.authenticate(response.req);
      return caller?.keyId === keyId && caller.scopes.has(recordsOperations.listEvents.scope);
    } catch {
      return false;
    }
  }
}

/** Returns the first page. Every feed has one, which may be empty. */
async function firstOf(pages: AsyncGenerator<FeedPage>): Promise<FeedPage> {
  const { value } = await pages.next();
  if (!value) throw new DisconnectedError('The client has disconnected.');
  return value as FeedPage;
}

/**
 * Writes pages as they arrive, each in a turn of its organization, until the stream must end or the reader has too much
 * unread data. Rejects if a page cannot be read. The caller closes the stream.
 */
async function sendEvents(
  stream: EventStream,
  orgId: string,
  first: FeedPage,
  pages: AsyncGenerator<FeedPage>,
): Promise<void> {
  if (!stream.begin()) return;
  for (let page = first; ;) {
    await loopTurns.take([orgId]);
    if (!stream.write(streamBytes(page))) return;
    // A reader that catches up gets the next page only once it has read this page.
    if (page.hasMore) await stream.drained();
    const next = await pages.next();
    if (next.done || !(await stream.isAllowed())) return;
    page = next.value;
  }
}
