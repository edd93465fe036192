import { z } from 'zod';
import { dataOf } from '../list.ts';
import { operation } from '../operation.ts';
import { counted } from './shared/count.schema.ts';
import { orgPath, pathOrg } from './shared/console-path.ts';
import { time } from './shared/page.schema.ts';

const bounded = (what: string) => z.int().meta({ description: `${what}; 1000 for that many or more.` });
const isDone = (what: string) => z.boolean().meta({ description: `Whether ${what}.` });

const hour = z.object({
  from: time.meta({ description: 'When it began.' }),
  deliveries: counted('Deliveries that were received within it'),
  runs: z
    .object({
      started: counted('Runs that were queued within it'),
      failed: counted('Runs among those that have failed and were not retried'),
    })
    .meta({ description: 'Runs of workflows.' }),
});

export const Today = z.object({
  hours: z.array(hour).meta({ description: 'The last 24, the oldest first; the newest has not ended.' }),
  failed_runs: bounded('Runs that have failed and were not retried'),
  problems: z.int().meta({ description: 'Causes of the newest of those: by workflow, step and code of the error.' }),
  waiting_runs: bounded('Runs that wait for a time'),
  unsent_demo_requests: bounded('Demo requests that are not known to be in the channel of the team'),
  has_demo_data: isDone('some of this was posted by the first `npm start`, to have something to look at'),
  steps: z
    .object({
      key: isDone('an API key was made'),
      trigger: isDone('there is a trigger'),
      delivery: isDone('something came in'),
      workflow: isDone('there is a workflow'),
      mapping: isDone('a trigger starts a workflow'),
      colleague: isDone('somebody else is a member or invited'),
    })
    .meta({ description: 'What a new organization begins with.' }),
});

export type Today = z.output<typeof Today>;

export const getToday = operation({
  id: 'getToday',
  method: 'get',
  path: `${orgPath}/today`,
  summary: 'Read what came in within a day, and what waits for somebody',
  permission: 'read',
  params: pathOrg,
  success: { status: 200, description: 'The day, counted up to a bound.', body: dataOf(Today) },
});
