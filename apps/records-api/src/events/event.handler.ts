import type { Database } from '@relata/db';
import type { EventFeed, FeedPage, FeedQuery } from '@relata/events';
import { acceptsStream, type HandlerContext } from '@relata/http';
import { eventSelection, findRecord, missingRecord, type RecordTable, shownEvent } from '@relata/records';
import { abortWhenAllLeft } from '@relata/runtime';
import type { EventsQuery } from '@relata/schemas';
import { type AppError, orNotFound, validationError } from '@relata/schemas/errors';
import { EventStreamHandler, type EventStreamOptions } from './event-stream.handler.ts';
import { readLastEventId, ofHeader, requireStreamable } from './stream-request.ts';

export interface EventHandlersOptions extends EventStreamOptions {
  database: Database;
}

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
    const { order, limit, wait } = query;
    const signal = wait > 0 ? AbortSignal.any([abortWhenAllLeft([exchange]), exchange.stopping]) : undefined;
    const feedQuery: FeedQuery = { ...eventSelection(query), order, limit, waitMs: wait * 1_000 };
    return shownPage(await this.#feed.read(caller.orgId, feedQuery, signal));
  };

  async #stream(query: EventsQuery, context: HandlerContext) {
    const { req: request } = context.exchange.response;
    requireStreamable(request, query);
    const lastEventId = readLastEventId(request);
    const selection = eventSelection(query);
    if (lastEventId === undefined) return this.#streams.open(selection, context);
    return this.#streams.open({ ...selection, after: lastEventId }, context).catch(ofHeader);
  }

  readonly get = async ({ params }: { params: { id: string } }, { caller }: HandlerContext) => {
    return { data: shownEvent(orNotFound(await this.#feed.find(caller.orgId, params.id))) };
  };

  /** Returns the events of one record. A record that is older than the first stored event may have none. */
  async history(table: RecordTable<unknown>, orgId: string, id: string, query: HistoryQuery) {
    const feedQuery: FeedQuery = { ...query, order: 'asc', waitMs: 0, recordId: id, types: [`${table.eventName}.*`] };
    const page = await this.#feed.read(orgId, feedQuery);
    if (page.events.length > 0) return shownPage(page);
    const db = this.#database.of(orgId);
    if (!(await findRecord(db, orgId, table, id)) && !(await this.#hasEvents(orgId, feedQuery)))
      throw await missingRecord(db, orgId, id);
    return shownPage(page);
  }

  /**
   * Returns true if a query that found no events has events before its cursor, for example those of a deleted record.
   */
  async #hasEvents(orgId: string, query: FeedQuery): Promise<boolean> {
    if (query.after === undefined || query.after === 'start') return false;
    const { events } = await this.#feed.read(orgId, { ...query, after: 'start', limit: 1 });
    return events.length > 0;
  }
}

export interface HistoryQuery {
  after?: string | undefined;
  limit: number;
}

function shownPage({ events, nextCursor, hasMore }: FeedPage) {
  return { data: events.map(shownEvent), next_cursor: nextCursor, has_more: hasMore };
}

function waitsForTheOld(): AppError {
  const message = 'Can only be combined with `order=asc`. With `desc`, there is nothing to wait for.';
  return validationError([{ in: 'query', field: 'wait', code: 'conflicting_parameters', message }]);
}
