import { z } from 'zod';
import { id, time } from './page.schema.ts';

export const RunStatusName = z.enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled']);

const StepError = z.object({
  code: z.string(),
  message: z.string(),
  step: z.string().optional(),
  details: z.unknown().optional(),
});

/** A step at which a run will fail, as far as that can be said without doing it. */
export const FailingStep = z.object({
  step: z.string().meta({ description: 'As the journal names it: `each[2].contact`.' }),
  code: z.string(),
  message: z.string(),
  is_certain: z
    .boolean()
    .meta({ description: 'False if it depends on earlier steps, or on records there are by then.' }),
});

/** A way to go on with a failed run. */
export const Way = z.object({
  version: z.int().nullable().meta({ description: 'Of the workflow; null if it cannot be taken.' }),
  refusal: z.string().nullable().meta({ description: 'Why it cannot be taken.' }),
  fails: FailingStep.nullable().meta({ description: 'Null if nothing says that a step fails.' }),
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
  idle_ms: z.number().meta({ description: 'How long it lay failed before it was retried: no part of its duration.' }),
  is_replayed: z.boolean().meta({ description: 'True if it failed, and its delivery was replayed since.' }),
};

const retry = z
  .object({
    step: z.string(),
    attempt: z.int().meta({ description: 'Which is the next.' }),
    max_attempts: z.int(),
    message: z.string().meta({ description: 'What the last attempt failed of.' }),
  })
  .nullable()
  .meta({ description: 'The next attempt at a step, of a run that waits for it; it is made at `wake_at`.' });

export const ListedRun = z.object({ ...run, retry });

const step = {
  path: z.string().meta({ description: 'Steps of a loop have the index of the item: `each[3].send`.' }),
  use: z.string(),
  status: z.enum(['pending', 'running', 'waiting', 'succeeded', 'failed', 'skipped']),
  attempts: z.int(),
  max_attempts: z.int(),
  failures: z.array(z.object({ attempt: z.int(), started_at: time, finished_at: time, error: StepError })),
  error: StepError.nullable(),
  wake_at: time.nullable(),
  started_at: time.nullable(),
  attempt_at: time.nullable().meta({ description: 'When the last attempt began.' }),
  finished_at: time.nullable(),
};

/** What a step was given and what came of it, by itself: a run may have thousands of them. */
export const RunStep = z.object({ input: z.unknown(), output: z.unknown() });

export const Run = z.object({
  ...run,
  retry,
  inputs: z.record(z.string(), z.unknown()),
  steps: z
    .array(z.object(step))
    .meta({ description: 'The journal, in the order in which the steps were begun, without their values.' }),
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
export type RunStep = z.output<typeof RunStep>;
export type RetryWay = z.output<typeof Way>;
