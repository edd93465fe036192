import type { Database } from '@relata/db';
import type { EventFeed, FeedPage, FeedQuery } from '@relata/events';
import { acceptsStream, type Exchange, type HandlerContext } from '@relata/http';
import { eventSelection, findRecord, type RecordTable, shownEvent } from '@relata/records';
import type { Event, EventsQuery } from '@relata/schemas';
import { AppError, validationError } from '@relata/schemas/errors';
import { EventStreamHandler, type EventStreamOptions } from './event-stream.handler.ts';
import { lastEventIdOf, ofHeader, requireStreamable } from './stream-request.ts';

export interface EventHandlersOptions extends EventStreamOptions {
  database: Database;
}

/** Handlers of the operations on events. */
export class EventHandlers {
  readonly #database: Database;
  readonly #feed: EventFeed;
  readonly #streams: EventStreamHandler;

  constructor(options: EventHandlersOptions) {
    this.#database = options.database;
    this.#feed = options.feed;
    this.#streams = new EventStreamHandler(options);
  }

  readonly list = async ({ query }: { query: EventsQuery }, context: HandlerContext) => {
    const { caller, exchange } = context;
    exchange.vary += ', Accept';
    if (acceptsStream(exchange.response.req.headers.accept)) return this.#stream(query, context);
    if (query.wait > 0 && query.order === 'desc') throw waitsForTheOld();
    using reader = presenceOf(exchange);
    const { order, limit, wait } = query;
    const feedQuery: FeedQuery = { ...eventSelection(query), order, limit, waitMs: wait * 1_000 };
    return shownPage(await this.#feed.read(caller.orgId, feedQuery, reader.signal));
  };

  async #stream(query: EventsQuery, context: HandlerContext) {
    const { req: request } = context.exchange.response;
    requireStreamable(request, query);
    const lastEventId = lastEventIdOf(request);
    const selection = eventSelection(query);
    if (lastEventId === undefined) return this.#streams.open(selection, context);
    return this.#streams.open({ ...selection, after: lastEventId }, context).catch(ofHeader);
  }

  readonly get = async ({ params }: { params: { id: string } }, { caller }: HandlerContext) => {
    const found = await this.#feed.find(caller.orgId, params.id);
    if (!found) throw new AppError('not_found', 'There is no such record.');
    return { data: shownEvent(found) };
  };

  /** Returns the events of one record, which may be older than the first event. */
  async history(table: RecordTable<unknown>, orgId: string, id: string, query: HistoryQuery) {
    const feedQuery: FeedQuery = { ...query, order: 'asc', waitMs: 0, recordId: id, types: [`${table.eventName}.*`] };
    const page = await this.#feed.read(orgId, feedQuery);
    if (page.events.length === 0 && !(await findRecord(this.#database.of(orgId), orgId, table, id)))
      throw new AppError('not_found', 'There is no such record.');
    return shownPage(page);
  }
}

export interface HistoryQuery {
  after?: string | undefined;
  limit: number;
}

/** Returns a signal that is aborted when the reader leaves or the process stops. */
function presenceOf({ response, stopping }: Exchange): Disposable & { signal: AbortSignal } {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  response.once('close', leave);
  stopping.addEventListener('abort', leave, { once: true });
  if (response.destroyed || stopping.aborted) leave();
  const dispose = () => {
    response.removeListener('close', leave);
    stopping.removeEventListener('abort', leave);
  };
  return { signal: leaving.signal, [Symbol.dispose]: dispose };
}

function shownPage({ events, nextCursor, hasMore }: FeedPage): {
  data: Event[];
  next_cursor: string;
  has_more: boolean;
} {
  return { data: events.map(shownEvent), next_cursor: nextCursor, has_more: hasMore };
}

function waitsForTheOld(): AppError {
  const message = 'Can only be combined with `order=asc`, because no older events appear.';
  return validationError([{ in: 'query', field: 'wait', code: 'conflicting_parameters', message }]);
}
