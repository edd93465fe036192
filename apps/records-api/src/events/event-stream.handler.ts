import type { Caller } from '@relata/auth';
import type { EventFeed, FeedPage, FeedSelection } from '@relata/events';
import { type Authenticate, EventStream, type Exchange, type HandlerContext, StreamedAnswer } from '@relata/http';
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

/** Who is cut off comes back after a second. */
const retryMs = 1_000;

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
    const isAllowed = () => this.#isAllowed(exchange, caller);
    const stream = new EventStream(exchange, { ...this.#options, retryMs, isAllowed });
    const pages = this.#options.feed.follow(caller.orgId, selection, stream.signal);
    response.once('close', () => {
      release();
      // It may be that nobody has begun to read them.
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

interface OpenStream extends Pick<HandlerContext, 'exchange' | 'log'> {
  stream: EventStream;
  orgId: string;
  first: FeedPage;
  pages: AsyncGenerator<FeedPage>;
}

/** A feed has a first page, even if nothing is in it. */
async function firstOf(pages: AsyncGenerator<FeedPage>): Promise<FeedPage> {
  const { value } = await pages.next();
  if (!value) throw new ReadersLeftError('The reader has left.');
  return value as FeedPage;
}
