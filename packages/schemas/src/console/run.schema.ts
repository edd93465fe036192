import { z } from 'zod';
import { id, time } from './page.schema.ts';

export const RunStatusName = z.enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled']);

const StepError = z.object({
  code: z.string(),
  message: z.string(),
  step: z.string().optional(),
  details: z.unknown().optional(),
});

const run = {
  id,
  workflow_id: id,
  workflow: z.string(),
  version: z.int().meta({ description: 'With which it began, and goes on at a retry.' }),
  latest_version: z.int().meta({ description: 'Which is the newest now.' }),
  delivery_id: id,
  trigger_id: id,
  trigger: z.string(),
  replay: z.int().meta({ description: 'Which replay of the delivery started it; 0 for none.' }),
  status: RunStatusName,
  error: StepError.nullable(),
  wake_at: time.nullable().meta({ description: 'When it goes on by itself: the time of its timer or next attempt.' }),
  created_at: time,
  started_at: time.nullable(),
  finished_at: time.nullable(),
};

export const ListedRun = z.object(run);

const RunStep = z.object({
  path: z.string().meta({ description: 'Steps of a loop have the index of the item: `each[3].send`.' }),
  use: z.string(),
  status: z.enum(['pending', 'running', 'waiting', 'succeeded', 'failed', 'skipped']),
  attempts: z.int(),
  failures: z.array(z.object({ attempt: z.int(), started_at: time, finished_at: time, error: StepError })),
  input: z.unknown(),
  output: z.unknown(),
  error: StepError.nullable(),
  wake_at: time.nullable(),
  started_at: time.nullable(),
  finished_at: time.nullable(),
});

export const Run = z.object({
  ...run,
  inputs: z.record(z.string(), z.unknown()),
  steps: z.array(RunStep).meta({ description: 'The journal, in the order in which the steps were begun.' }),
});

export const ChangedRun = z.object({
  id,
  workflow_id: id,
  workflow: z.string(),
  version: run.version,
  latest_version: run.latest_version,
  delivery_id: id,
  status: RunStatusName,
});

export type ListedRun = z.output<typeof ListedRun>;
export type Run = z.output<typeof Run>;
