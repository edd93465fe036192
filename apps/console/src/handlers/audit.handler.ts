import { eventSelection, shownEvent } from '@relata/records';
import { AuditExports } from '../audit/audit-export.ts';
import type { ConsoleContext, ConsoleHandlers } from './console-context.ts';

export function auditHandlers({ feed, authorize }: ConsoleContext) {
  const exports = new AuditExports(feed, authorize);
  return {
    listAudit: async ({ query: { limit, ...query } }, { caller: { orgId } }) => {
      const page = await feed.read(orgId, { ...eventSelection(query), order: 'desc', waitMs: 0, limit });
      return { data: page.events.map(shownEvent), next_cursor: page.nextCursor, has_more: page.hasMore };
    },
    exportAudit: ({ query: { format, ...query } }, context) => exports.open(format, eventSelection(query), context),
  } satisfies Partial<ConsoleHandlers>;
}
