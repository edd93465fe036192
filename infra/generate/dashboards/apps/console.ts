import type { ConsoleOperations } from '@relata/schemas/console';
import { anyOf, quantile, rate, sum } from '../promql.ts';
import { lastingPanels } from '../request-panels.ts';
import type { OwnPanels } from './own-panels.ts';

type Operation = keyof ConsoleOperations;

const durations = 'http_request_duration_seconds';
const count = `${durations}_count`;

const lasting: readonly Operation[] = ['readChanges'];
const entering = anyOf<Operation>('operation', ['signIn', 'enter']);
const searching = anyOf<Operation>('operation', [
  'searchDeliveries',
  'listDeliveries',
  'getDeliveryCounts',
  'listRuns',
  'listAudit',
  'getToday',
]);
const acting = anyOf<Operation>('operation', ['replayDelivery', 'retryRuns', 'retryProblem', 'cancelRun']);

export const consolePanels: OwnPanels = {
  lasting,
  sections: [
    {
      title: 'People',
      panels: [
        {
          title: 'Sign-ins',
          description: 'By operation and status. Many 401 and 429 mean that somebody is guessing passwords.',
          unit: 'reqps',
          queries: { '{{operation}} {{status}}': sum('operation, status', rate(count, entering)) },
        },
        {
          title: 'Long lists and searches (p95)',
          description:
            'Operations that read the most rows. They take longer with more stored deliveries, and while other organizations search.',
          unit: 's',
          queries: { '{{operation}}': quantile(0.95, durations, 'operation', searching) },
        },
        {
          title: 'Replays, retries and cancelled runs',
          description: 'Actions of people who repair something. If they increase, look at the failed runs.',
          unit: 'reqps',
          queries: { '{{operation}}': sum('operation', rate(count, acting)) },
        },
      ],
    },
    { title: 'Change streams', panels: lastingPanels(lasting, 'Streams of changes') },
  ],
};
