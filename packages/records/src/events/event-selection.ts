import type { FeedSelection } from '@relata/events';
import type { EventsQuery } from '@relata/schemas';

/** Converts a query into a selection of the feed. */
export function eventSelection(query: Omit<EventsQuery, 'order' | 'limit' | 'wait'>): FeedSelection {
  const { after, type, record_type: recordType } = query;
  return {
    after,
    types: typesOf(type, recordType),
    recordId: query.record_id,
    actorId: query.actor_id,
    requestId: query.request_id,
    changed: query.changed,
    from: query['created_at[gte]'],
    before: query['created_at[lt]'],
  };
}

/** Returns the given types that belong to the kind of record, or all types of that kind if none are given. */
function typesOf(types: readonly string[] | undefined, recordType: string | undefined): readonly string[] | undefined {
  if (recordType === undefined) return types;
  return types?.filter((type) => type.startsWith(`${recordType}.`)) ?? [`${recordType}.*`];
}
