import { z } from 'zod';
import { lineText, problem, uuid } from '../fields/text.ts';
import { dataOf } from '../list.ts';
import { operation } from '../operation.ts';
import { orgPath, pathOrg, pathOrgAndId } from './shared/console-path.ts';
import { allOf, pageQuery, searchPageOf, timeQuery } from './shared/page.schema.ts';
import { ChangedRun, ListedRun, Run, RunStatusName, RunStep, Way } from './shared/run.schema.ts';

const runs = `${orgPath}/runs` as const;

export const listRuns = operation({
  id: 'listRuns',
  method: 'get',
  path: runs,
  summary: 'List runs of workflows',
  permission: 'read',
  params: pathOrg,
  query: z
    .strictObject({
      ...pageQuery,
      ...timeQuery,
      status: z
        .enum([...RunStatusName.options, 'retrying'])
        .optional()
        .meta({
          description: 'Only those; of those that wait, `retrying` are the ones that try a step again.',
        }),
      workflow: uuid().optional(),
      trigger: uuid().optional(),
      step: lineText().optional().meta({ description: 'Only those that failed there; for `status=failed`.' }),
      code: lineText().optional().meta({ description: 'Only those of this error; for `status=failed`.' }),
    })
    .check((ctx) => {
      const { status, step, code } = ctx.value;
      const message = 'Can be given with `status=failed` only: other runs have failed of nothing.';
      if (status === 'failed') return;
      if (step !== undefined) problem(ctx, 'conflicting_parameters', message, ['step']);
      if (code !== undefined) problem(ctx, 'conflicting_parameters', message, ['code']);
    }),
  success: { status: 200, description: 'Runs, the newest first.', body: searchPageOf(ListedRun) },
});

export const getRun = operation({
  id: 'getRun',
  method: 'get',
  path: `${runs}/{id}`,
  summary: 'Read a run with its steps',
  description: 'Without what each step was given and what came of it: `getRunStep` has that.',
  permission: 'read',
  params: pathOrgAndId,
  success: { status: 200, description: 'The run.', body: dataOf(Run) },
});

export const getRunStep = operation({
  id: 'getRunStep',
  method: 'get',
  path: `${runs}/{id}/step`,
  summary: 'Read what a step of a run was given, and what came of it',
  permission: 'read',
  params: pathOrgAndId,
  query: z.strictObject({
    path: lineText().optional().meta({ description: 'As the run names it, `each[3].send`; the first unless given.' }),
  }),
  success: { status: 200, description: 'Its values; null where it has none yet.', body: dataOf(RunStep) },
});

export const judgeRetry = operation({
  id: 'judgeRetry',
  method: 'get',
  path: `${runs}/{id}/retry`,
  summary: 'Judge what retrying or replaying a failed run would come to',
  description:
    'Steps that are done count as they were done; the others are judged as far as that goes without doing them.',
  permission: 'work',
  params: pathOrgAndId,
  success: {
    status: 200,
    description: 'The ways to go on with it, and the step at which each would fail.',
    body: dataOf(
      z.object({
        retry: Way.meta({ description: 'From the failed step, with its own version and inputs.' }),
        latest: Way.nullable().meta({ description: 'The same with the newest version; null if it has that.' }),
        replay: Way.meta({ description: 'Anew, for the same delivery, with the newest version and mapping.' }),
      }),
    ),
  },
  errors: ['conflict'],
});

export const retryRuns = operation({
  id: 'retryRuns',
  method: 'post',
  path: `${runs}/retry`,
  summary: 'Go on with failed runs from the step that failed',
  description: 'All of them, or none where one is missing or did not fail. What earlier steps did is not done again.',
  permission: 'work',
  params: pathOrg,
  body: z.strictObject({
    ids: z.array(uuid()).min(1).max(100),
    latest: z
      .boolean()
      .default(false)
      .meta({ description: 'With the newest version of the workflow in place of the one that each run has.' }),
  }),
  example: { ids: ['019a1b2c-0000-7000-8000-000000000001'] },
  success: { status: 200, description: 'The runs, queued again.', body: allOf(ChangedRun) },
  errors: ['conflict'],
});

export const cancelRun = operation({
  id: 'cancelRun',
  method: 'post',
  path: `${runs}/{id}/cancel`,
  summary: 'End a run',
  description: 'What its steps have done stays.',
  permission: 'work',
  params: pathOrgAndId,
  success: { status: 200, description: 'The run, cancelled.', body: dataOf(ChangedRun) },
  errors: ['conflict'],
});
