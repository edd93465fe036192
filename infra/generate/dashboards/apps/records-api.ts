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
          description:
            'What callers do. Lists and batches cost most: one that begins to grow is seen here before it is felt.',
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
            'Writers that meet at a record, or repeat what is done. A steady share is a caller that writes without reading.',
          unit: 'reqps',
          queries: { '{{operation}}': sum('operation', rate(count, 'status=~"409|412"')) },
        },
        {
          title: 'Mistakes of callers by status (4xx)',
          description:
            '401 and 403 are keys, 400 and 422 are bodies. A step upwards is a release of a caller, or of ours.',
          unit: 'reqps',
          queries: { '{{status}}': sum('status', rate(count, 'status=~"4..",status!~"409|412|429"')) },
        },
      ],
    },
    { title: 'Change streams', panels: lastingPanels(lasting, 'Reads of events') },
  ],
};
