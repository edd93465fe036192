import { z } from 'zod';
import { cursor, eventsPage } from '../events/event.schema.ts';
import { eventFilters } from '../events/events.ts';
import { queryInteger } from '../fields/numbers.ts';
import { operation } from '../operation.ts';
import { orgPath, pathOrg } from './shared/console-path.ts';

export const listAudit = operation({
  id: 'listAudit',
  method: 'get',
  path: `${orgPath}/audit`,
  summary: 'Read who changed what, the newest first',
  permission: 'manage',
  params: pathOrg,
  query: z.strictObject({
    after: cursor.meta({ description: 'Only what is older: the `next_cursor` of the page before.' }),
    limit: queryInteger({ min: 1, max: 100 }).default(50).meta({ description: 'How many a page holds.' }),
    ...eventFilters,
  }),
  success: {
    status: 200,
    description:
      'Events of records and of settings. A page may be empty and not be the last one, where a filter is given.',
    body: eventsPage,
  },
  errors: ['cursor_expired'],
});
