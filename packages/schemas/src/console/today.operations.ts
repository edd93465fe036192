import { z } from 'zod';
import { dataSchema } from '../lists/list.ts';
import { consoleOperation } from './shared/console-operation.ts';
import { counted, time } from './shared/page.schema.ts';

/** Counted up to 1,000; the value 1,000 means that many or more. */
const bounded = z.int();

const hour = z.object({
  from: time,
  deliveries: counted,
  runs: z.object({
    started: counted,
    failed: counted,
  }),
});

const Today = z.object({
  /** The last 24 hours, the oldest first; the newest is still in progress. */
  hours: z.array(hour),
  failed_runs: bounded,
  /** Number of open problems among the newest failed runs and refused starts. */
  problems: z.int(),
  waiting_runs: bounded,
  unsent_demo_requests: bounded,
  has_demo_data: z.boolean(),
  /** First steps in a new organization: true once done. */
  steps: z.object({
    key: z.boolean(),
    trigger: z.boolean(),
    delivery: z.boolean(),
    workflow: z.boolean(),
    mapping: z.boolean(),
    colleague: z.boolean(),
  }),
});

export type Today = z.output<typeof Today>;

export const getToday = consoleOperation('get', '/orgs/{org}/today', {
  permission: 'read',
  success: { status: 200, body: dataSchema(Today) },
});
