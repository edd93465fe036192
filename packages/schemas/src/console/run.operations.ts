import { z } from 'zod';
import { shortText, problem, uuid } from '../fields/text.ts';
import { dataSchema } from '../lists/list.ts';
import { consoleOperation } from './shared/console-operation.ts';
import { wholeListSchema, pageQuery, searchPageSchema, timeQuery } from './shared/page.schema.ts';
import { ChangedRun, ListedRun, Run, RunStatusName, RunStep, RetryOption } from './shared/run.schema.ts';

export const listRuns = consoleOperation('get', '/orgs/{org}/runs', {
  permission: 'read',
  query: z
    .strictObject({
      ...pageQuery,
      ...timeQuery,
      /** `retrying` selects the waiting runs whose step will be tried again. */
      status: z.enum([...RunStatusName.options, 'retrying']).optional(),
      workflow: uuid().optional(),
      trigger: uuid().optional(),
      /** Only with `status=failed`. */
      step: shortText().optional(),
      /** Only with `status=failed`. */
      code: shortText().optional(),
    })
    .check((ctx) => {
      const { status, step, code } = ctx.value;
      const message = 'Can only be combined with `status=failed`.';
      if (status === 'failed') return;
      if (step !== undefined) problem(ctx, 'conflicting_parameters', message, ['step']);
      if (code !== undefined) problem(ctx, 'conflicting_parameters', message, ['code']);
    }),
  success: { status: 200, body: searchPageSchema(ListedRun) },
});

/** Leaves out the values of the steps; `getRunStep` returns them. */
export const getRun = consoleOperation('get', '/orgs/{org}/runs/{id}', {
  permission: 'read',
  success: { status: 200, body: dataSchema(Run) },
});

export const getRunStep = consoleOperation('get', '/orgs/{org}/runs/{id}/step', {
  permission: 'read',
  query: z.strictObject({
    /** Path of the step in the journal, such as `each[3].send`; the first step by default. */
    path: shortText().optional(),
  }),
  success: { status: 200, body: dataSchema(RunStep) },
});

/** Finished steps keep their outputs; later steps are simulated as far as possible without executing them. */
export const judgeRetry = consoleOperation('get', '/orgs/{org}/runs/{id}/retry', {
  permission: 'work',
  success: {
    status: 200,
    body: dataSchema(
      z.object({
        /** Continues from the failed step with the run's own version and inputs. */
        retry: RetryOption,
        /** Continues with the newest version; null if the run already has it. */
        latest: RetryOption.nullable(),
        /** Starts a new run for the same delivery, with the newest version and mapping. */
        replay: RetryOption,
      }),
    ),
  },
  errors: ['conflict'],
});

/** Retries all of the runs, or none if one is missing or has not failed. Finished steps are not executed again. */
export const retryRuns = consoleOperation('post', '/orgs/{org}/runs/retry', {
  permission: 'work',
  body: z.strictObject({
    ids: z.array(uuid()).min(1).max(100),
    /** True to continue with the newest version of the workflow instead of each run's own. */
    latest: z.boolean().default(false),
  }),
  example: { ids: ['019a1b2c-0000-7000-8000-000000000001'] },
  success: { status: 200, body: wholeListSchema(ChangedRun) },
  errors: ['conflict'],
});

/** Does not undo finished steps. */
export const cancelRun = consoleOperation('post', '/orgs/{org}/runs/{id}/cancel', {
  permission: 'work',
  success: { status: 200, body: dataSchema(ChangedRun) },
  errors: ['conflict'],
});
