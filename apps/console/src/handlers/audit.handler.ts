import { shownEvent } from '@relata/records';
import type { ConsoleContext, ConsoleHandlers } from './console-context.ts';

/** Who changed what: the event record, the newest first. */
export function auditHandlers({ feed }: ConsoleContext): ConsoleHandlers<'listAudit'> {
  return {
    listAudit: async ({ query }, { caller: { orgId } }) => {
      const { after, limit, type, record_type: recordType } = query;
      const page = await feed.read(orgId, {
        order: 'desc',
        waitMs: 0,
        limit,
        after,
        types:
          recordType === undefined
            ? type
            : (type?.filter((each) => each.startsWith(`${recordType}.`)) ?? [`${recordType}.*`]),
        recordId: query.record_id,
        actorId: query.actor_id,
        requestId: query.request_id,
        changed: query.changed,
        from: query['created_at[gte]'],
        before: query['created_at[lt]'],
      });
      return { data: page.events.map(shownEvent), next_cursor: page.nextCursor, has_more: page.hasMore };
    },
  };
}
