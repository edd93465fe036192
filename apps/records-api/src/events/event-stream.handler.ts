import type { Caller } from '@relata/auth';
import type { EventFeed, FeedPage, FeedSelection } from '@relata/events';
import { type Authenticate, type Exchange, type HandlerContext, StreamedAnswer } from '@relata/http';
import { ReadersLeftError } from '@relata/runtime';
import { recordsOperations } from '@relata/schemas';
import { EventStreams } from './event-streams.ts';
import { sendEvents } from './send-events.ts';

export interface EventStreamOptions {
  feed: EventFeed;
  /** Asked again while a stream is open: a key may be revoked. */
  authenticate: Authenticate;
  /** After which a stream ends, for its client to come back; 10 minutes unless given. */
  lastsMs?: number;
  /** 15 seconds unless given. */
  commentEveryMs?: number;
}

/** The feed as server-sent events. */
export class EventStreamHandler {
  readonly #options: Required<EventStreamOptions>;
  readonly #streams = new EventStreams();

  constructor(options: EventStreamOptions) {
    this.#options = { lastsMs: 600_000, commentEveryMs: 15_000, ...options };
  }

  /** Reads the first page before anything is sent, so that its errors are answered as any. */
  async open(selection: FeedSelection, { caller, exchange, log }: HandlerContext): Promise<StreamedAnswer> {
    const { response } = exchange;
    if (exchange.hasLeft) throw new ReadersLeftError('The reader has left.');
    const release = this.#streams.take(caller);
    const ending = new AbortController();
    const pages = this.#options.feed.follow(caller.orgId, selection, ending.signal);
    response.once('close', () => {
      release();
      ending.abort();
      // It may be that nobody has begun to read them.
      void pages.return(undefined);
    });
    const first = await firstOf(pages);
    exchange.operation = 'streamEvents';
    return new StreamedAnswer(() => this.#send({ caller, exchange, log, ending, first, pages }));
  }

  async #send({ caller, exchange, log, ending, first, pages }: OpenStream): Promise<void> {
    const { response, stopping, requestId } = exchange;
    const { lastsMs, commentEveryMs } = this.#options;
    const end = () => ending.abort();
    const deadline = setTimeout(end, lastsMs);
    stopping.addEventListener('abort', end, { once: true });
    if (stopping.aborted) end();
    const isAllowed = () => this.#isAllowed(exchange, caller);
    try {
      await sendEvents(response, { first, pages, signal: ending.signal, commentEveryMs, isAllowed, end });
    } catch (error) {
      if (!ending.signal.aborted) log.warn({ err: error, request_id: requestId }, 'a stream of events was cut off');
    } finally {
      clearTimeout(deadline);
      stopping.removeEventListener('abort', end);
      end();
      response.end();
    }
  }

  /** False too where it cannot be found out: the client comes back, and is answered as any. */
  async #isAllowed({ response }: Exchange, { keyId }: Caller): Promise<boolean> {
    try {
      const caller = await this.#options.authenticate(response.req);
      return caller?.keyId === keyId && caller.scopes.has(recordsOperations.listEvents.scope);
    } catch {
      return false;
    }
  }
}

interface OpenStream extends Pick<HandlerContext, 'caller' | 'exchange' | 'log'> {
  ending: AbortController;
  first: FeedPage;
  pages: AsyncGenerator<FeedPage>;
}

/** A feed has a first page, even if nothing is in it. */
async function firstOf(pages: AsyncGenerator<FeedPage>): Promise<FeedPage> {
  const { value } = await pages.next();
  if (!value) throw new ReadersLeftError('The reader has left.');
  return value as FeedPage;
}
