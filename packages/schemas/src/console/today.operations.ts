import { z } from 'zod';
import { dataOf } from '../list.ts';
import { operation } from '../operation.ts';
import { orgPath, pathOrg } from './shared/console-path.ts';
import { time } from './shared/page.schema.ts';

const bounded = (what: string) => z.int().meta({ description: `${what}; 1000 for that many or more.` });
const isDone = (what: string) => z.boolean().meta({ description: `Whether ${what}.` });

const hour = z.object({
  from: time.meta({ description: 'When it began.' }),
  deliveries: z.int(),
  is_estimate: z
    .boolean()
    .meta({ description: 'Where there were more than 500 in a quarter of an hour it is estimated by the first 500.' }),
  runs: z
    .object({
      started: z.int().meta({ description: 'That were queued within it.' }),
      failed: z.int().meta({ description: 'How many of those have failed, and were not retried.' }),
      is_estimate: z
        .boolean()
        .meta({ description: 'As with deliveries; of failed runs by the first 500 of the hour.' }),
    })
    .meta({ description: 'Runs of workflows.' }),
});

export const Today = z.object({
  hours: z.array(hour).meta({ description: 'The last 24, the oldest first; the newest has not ended.' }),
  failed_runs: bounded('Runs that have failed and were not retried'),
  problems: z.int().meta({ description: 'Causes of the newest of those: by workflow, step and code of the error.' }),
  waiting_runs: bounded('Runs that wait for a time'),
  unsent_demo_requests: bounded('Demo requests that are not known to be in the channel of the team'),
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
