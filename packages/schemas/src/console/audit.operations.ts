import { z } from 'zod';
import { Event } from '../events/event.schema.ts';
import { eventFilters } from '../events/events.ts';
import { queryInteger } from '../fields/numbers.ts';
import { uuid } from '../fields/text.ts';
import { operation } from '../operation.ts';
import { orgPath, pathOrg } from './console-path.ts';
import { pageOf } from './page.schema.ts';

export const listAudit = operation({
  id: 'listAudit',
  method: 'get',
  path: `${orgPath}/audit`,
  summary: 'Read who changed what, the newest first',
  permission: 'manage',
  params: pathOrg,
  query: z.strictObject({
    limit: queryInteger({ min: 1, max: 100 }).default(50).meta({ description: 'How many a page holds.' }),
    before: uuid().optional().meta({ description: 'Only what is older: the id of the last one of the page before.' }),
    ...eventFilters,
  }),
  success: { status: 200, description: 'Events of records and of settings.', body: pageOf(Event) },
  errors: ['cursor_expired'],
});
