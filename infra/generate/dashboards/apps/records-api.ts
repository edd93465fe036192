import { rate, sum } from '../promql.ts';
import { lastingPanels } from '../request-panels.ts';
import type { OwnPanels } from './own-panels.ts';

const count = 'http_request_duration_seconds_count';
const lasting = ['listEvents', 'streamEvents'];

const requestsTo = (operation: string) => sum('', rate(count, `operation=~"${operation}"`));

export const recordsApi: OwnPanels = {
  lasting,
  slow: { alerts: ['RelataApiSlow'], drawsAlerts: true },
  sections: [
    {
      title: 'Records',
      panels: [
        {
          title: 'Reads, lists and writes',
          description: 'Requests of callers. Lists and batches cost the most, so growing load shows here first.',
          unit: 'reqps',
          queries: {
            'one record': requestsTo('get.+'),
            lists: requestsTo('list.+'),
            writes: requestsTo('(create|update|upsert).+'),
            batches: requestsTo('batch.+'),
          },
        },
        {
          title: 'Conflicts by operation (409, 412)',
          description:
            '409: concurrent writes, ambiguous or existing records, deletes of records in use. 412: the record changed after the caller read it.',
          unit: 'reqps',
          queries: { '{{operation}}': sum('operation', rate(count, 'status=~"409|412"')) },
        },
        {
          title: 'Client errors by status (4xx)',
          description:
            '401 and 403 concern keys, 400 and 422 concern bodies. A sudden increase follows a release of a caller or of Relata.',
          unit: 'reqps',
          queries: { '{{status}}': sum('status', rate(count, 'status=~"4..",status!~"409|412|429"')) },
        },
      ],
    },
    { title: 'Change streams', panels: lastingPanels(lasting, 'Reads of events') },
  ],
};
