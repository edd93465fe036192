import type { Database } from '@relata/db';
import { EventFeed, type FeedPage, type FeedQuery, type FeedReader } from '@relata/events';
import type { HandlerContext } from '@relata/http';
import { findRecord, type RecordTable, shownEvent } from '@relata/records';
import { AppError, type Event, type EventsQuery, validationError } from '@relata/schemas';

/** What is answered of events. */
export class EventHandlers {
  readonly #database: Database;
  readonly #feed: EventFeed;

  constructor(database: Database) {
    this.#database = database;
    this.#feed = new EventFeed(database);
  }

  readonly list = async ({ query }: { query: EventsQuery }, { caller, exchange }: HandlerContext) => {
    if (query.wait > 0 && query.order === 'desc') throw waitsForTheOld();
    return shownPage(await this.#feed.read(caller.orgId, feedQueryOf(query), exchange));
  };

  readonly get = async ({ params }: { params: { id: string } }, { caller }: HandlerContext) => {
    const found = await this.#feed.find(caller.orgId, params.id);
    if (!found) throw new AppError('not_found', 'There is no such record.');
    return { data: shownEvent(found) };
  };

  /** The events of one record, also of one that was there before events were written. */
  async history(table: RecordTable<unknown>, orgId: string, id: string, query: HistoryQuery, reader: FeedReader) {
    const feedQuery: FeedQuery = { ...query, order: 'asc', waitMs: 0, recordId: id, types: [`${table.eventName}.*`] };
    const page = await this.#feed.read(orgId, feedQuery, reader);
    if (page.events.length === 0 && !(await findRecord(this.#database.of(orgId), orgId, table, id)))
      throw new AppError('not_found', 'There is no such record.');
    return shownPage(page);
  }
}

export interface HistoryQuery {
  after?: string | undefined;
  limit: number;
}

function feedQueryOf(query: EventsQuery): FeedQuery {
  const { after, limit, order, wait, type, record_type: recordType } = query;
  return {
    after,
    limit,
    order,
    waitMs: wait * 1_000,
    types: typesOf(type, recordType),
    recordId: query.record_id,
    actorId: query.actor_id,
    requestId: query.request_id,
    changed: query.changed,
    from: query['created_at[gte]'],
    before: query['created_at[lt]'],
  };
}

/** Of both filters: those types that are of the kind of record. */
function typesOf(types: readonly string[] | undefined, recordType: string | undefined): readonly string[] | undefined {
  if (recordType === undefined) return types;
  return types?.filter((type) => type.startsWith(`${recordType}.`)) ?? [`${recordType}.*`];
}

function shownPage({ events, nextCursor, hasMore }: FeedPage): {
  data: Event[];
  next_cursor: string;
  has_more: boolean;
} {
  return { data: events.map(shownEvent), next_cursor: nextCursor, has_more: hasMore };
}

function waitsForTheOld(): AppError {
  const message = 'Is for `order=asc` alone: nothing older comes into being.';
  return validationError([{ in: 'query', field: 'wait', code: 'conflicting_parameters', message }]);
}
