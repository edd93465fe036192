import { z } from 'zod';
import { id, time } from './page.schema.ts';

export const RunStatusName = z.enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled']);

const StepError = z.object({
  code: z.string(),
  message: z.string(),
  step: z.string().optional(),
  details: z.unknown().optional(),
});

/** The step at which a run would or might fail, predicted without executing it. */
export const FailingStep = z.object({
  /** The path in the journal, such as `each[2].contact`. */
  step: z.string(),
  code: z.string(),
  message: z.string(),
  /** False if the failure depends on earlier steps, or on the records at that time. */
  is_certain: z.boolean(),
});

/** How to continue a failed run. */
export const RetryOption = z.object({
  /** Null if this option is not possible. */
  version: z.int().nullable(),
  refusal: z.string().nullable(),
  /** The step that would or might fail; null if none is found. */
  fails: FailingStep.nullable(),
});

const run = {
  id,
  workflow_id: id,
  workflow: z.string(),
  /** Version of the workflow that the run uses. A retry keeps it unless `latest` is set. */
  version: z.int(),
  latest_version: z.int(),
  delivery_id: id,
  trigger_id: id,
  trigger: z.string(),
  /** Number of the replay that started the run; 0 for none. */
  replay: z.int(),
  status: RunStatusName,
  error: StepError.nullable(),
  /** Due time of its timer or next attempt. */
  wake_at: time.nullable(),
  created_at: time,
  started_at: time.nullable(),
  finished_at: time.nullable(),
  /** Total time for which the run stayed failed until somebody retried it, in ms; not counted in the duration. */
  idle_ms: z.number(),
  /** True if the run failed and its delivery has been replayed since. */
  is_replayed: z.boolean(),
};

/** The next attempt at a step, due at `wake_at`. */
const retry = z
  .object({
    step: z.string(),
    attempt: z.int(),
    max_attempts: z.int(),
    /** Error of the previous attempt. */
    message: z.string(),
  })
  .nullable();

export const ListedRun = z.object({ ...run, retry });

const step = {
  /** Path in the journal. A step inside a loop has the index of the item: `each[3].send`. */
  path: z.string(),
  use: z.string(),
  status: z.enum(['pending', 'running', 'waiting', 'succeeded', 'failed', 'skipped']),
  attempts: z.int(),
  max_attempts: z.int(),
  failures: z.array(z.object({ attempt: z.int(), started_at: time, finished_at: time, error: StepError })),
  error: StepError.nullable(),
  wake_at: time.nullable(),
  started_at: time.nullable(),
  attempt_at: time.nullable(),
  finished_at: time.nullable(),
};

/** Input and output of a step. They are fetched for one step at a time, since a run may have thousands of steps. */
export const RunStep = z.object({ input: z.unknown(), output: z.unknown() });

export const Run = z.object({
  ...run,
  retry,
  inputs: z.record(z.string(), z.unknown()),
  /** The journal without values, in the order in which the steps started. */
  steps: z.array(z.object(step)),
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
export type RetryOption = z.output<typeof RetryOption>;
