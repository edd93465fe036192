import type { Caller } from '@relata/auth';
import type { EventFeed, FeedPage, FeedSelection } from '@relata/events';
import { type Authenticate, EventStream, type Exchange, type HandlerContext, StreamedAnswer } from '@relata/http';
import { ReadersLeftError } from '@relata/runtime';
import { recordsOperations } from '@relata/schemas';
import { EventStreams } from './event-streams.ts';
import { sendEvents } from './send-events.ts';

export interface EventStreamOptions {
  feed: EventFeed;
  /** Called again while a stream is open, since its key may be revoked. */
  authenticate: Authenticate;
  /** Time after which a stream ends and its client reconnects; 10 minutes by default. */
  lastsMs?: number;
  /** Defaults to 15 seconds. */
  commentEveryMs?: number;
}

/** Delay after which a client that was cut off reconnects. */
const retryMs = 1_000;

/** Serves the feed as server-sent events. */
export class EventStreamHandler {
  readonly #options: Required<EventStreamOptions>;
  readonly #streams = new EventStreams();

  constructor(options: EventStreamOptions) {
    this.#options = { lastsMs: 600_000, commentEveryMs: 15_000, ...options };
  }

  /** Opens a stream. It reads the first page before anything is sent, so that errors are answered as usual. */
  async open(selection: FeedSelection, { caller, exchange, log }: HandlerContext): Promise<StreamedAnswer> {
    const { response } = exchange;
    if (exchange.hasLeft) throw new ReadersLeftError('The reader has left.');
    const release = this.#streams.take(caller);
    const isAllowed = () => this.#isAllowed(exchange, caller);
    const stream = new EventStream(exchange, { ...this.#options, retryMs, isAllowed });
    const pages = this.#options.feed.follow(caller.orgId, selection, stream.signal);
    response.once('close', () => {
      release();
      // Possibly nobody has begun to read them.
      void pages.return(undefined);
    });
    const first = await firstOf(pages);
    exchange.operation = 'streamEvents';
    const { orgId } = caller;
    return new StreamedAnswer(() => this.#send({ exchange, log, stream, orgId, first, pages }));
  }

  async #send({ exchange: { requestId }, log, stream, ...sent }: OpenStream): Promise<void> {
    try {
      await sendEvents(stream, sent);
    } catch (error) {
      if (!stream.signal.aborted) log.warn({ err: error, request_id: requestId }, 'a stream of events was cut off');
    } finally {
      stream.close();
    }
  }

  /**
   * Returns true if the key may still read events. If that cannot be determined, it returns false: the client
   * reconnects, and is answered as usual.
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

interface OpenStream extends Pick<HandlerContext, 'exchange' | 'log'> {
  stream: EventStream;
  orgId: string;
  first: FeedPage;
  pages: AsyncGenerator<FeedPage>;
}

/** Returns the first page, which every feed has, even if it is empty. */
async function firstOf(pages: AsyncGenerator<FeedPage>): Promise<FeedPage> {
  const { value } = await pages.next();
  if (!value) throw new ReadersLeftError('The reader has left.');
  return value as FeedPage;
}
