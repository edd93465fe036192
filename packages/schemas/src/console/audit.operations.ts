import { z } from 'zod';
import { cursor, eventsPage } from '../events/event.schema.ts';
import { eventFilters } from '../events/events.ts';
import { queryInteger } from '../fields/numbers.ts';
import { consoleOperation } from './shared/console-operation.ts';

const filters = {
  /** The `next_cursor` of the previous page. */
  after: cursor,
  ...eventFilters,
};

export const listAudit = consoleOperation('get', '/orgs/{org}/audit', {
  permission: 'manage',
  query: z.strictObject({
    limit: queryInteger({ min: 1, max: 100 }).default(50),
    ...filters,
  }),
  success: { status: 200, body: eventsPage },
  errors: ['cursor_expired'],
});

/**
 * Streams at most 50,000 events while it reads them. In CSV, text that a spreadsheet would run as a formula gets a
 * leading apostrophe. If there are more events, JSON has `has_more`, and CSV says so in its last line. A broken
 * connection means an incomplete file.
 */
export const exportAudit = consoleOperation('get', '/orgs/{org}/audit/export', {
  permission: 'manage',
  query: z.strictObject({
    format: z.enum(['csv', 'json']).default('json'),
    ...filters,
  }),
  success: {
    status: 200,
    body: z.object({ ...eventsPage.shape, next_cursor: eventsPage.shape.next_cursor.nullable() }),
  },
  errors: ['cursor_expired'],
});
