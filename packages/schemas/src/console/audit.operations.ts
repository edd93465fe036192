import { z } from 'zod';
import { cursor, eventsPage } from '../events/event.schema.ts';
import { eventFilters } from '../events/events.ts';
import { queryInteger } from '../fields/numbers.ts';
import { operation } from '../operation.ts';
import { orgPath, pathOrg } from './shared/console-path.ts';

const filters = {
  after: cursor.meta({ description: 'Only what is older: the `next_cursor` of the page before.' }),
  ...eventFilters,
};

export const listAudit = operation({
  id: 'listAudit',
  method: 'get',
  path: `${orgPath}/audit`,
  summary: 'Read who changed what, the newest first',
  permission: 'manage',
  params: pathOrg,
  query: z.strictObject({
    limit: queryInteger({ min: 1, max: 100 }).default(50).meta({ description: 'How many a page holds.' }),
    ...filters,
  }),
  success: {
    status: 200,
    description:
      'Events of records and of settings. A page may be empty and not be the last one, where a filter is given.',
    body: eventsPage,
  },
  errors: ['cursor_expired'],
});

export const exportAudit = operation({
  id: 'exportAudit',
  method: 'get',
  path: `${orgPath}/audit/export`,
  summary: 'Download who changed what as a file, the newest first',
  description:
    'At most 50,000 events, written as they are read. In CSV, text that a spreadsheet would run as a formula begins with ' +
    'an apostrophe. If there is more, JSON says so by `has_more`, CSV in its last line. A connection that breaks ' +
    'off means that the file is not complete.',
  permission: 'manage',
  params: pathOrg,
  query: z.strictObject({
    format: z.enum(['csv', 'json']).default('json').meta({ description: 'The format of the file.' }),
    ...filters,
  }),
  success: {
    status: 200,
    description: 'The file.',
    body: z.object({ ...eventsPage.shape, next_cursor: eventsPage.shape.next_cursor.nullable() }),
  },
  errors: ['cursor_expired'],
});
