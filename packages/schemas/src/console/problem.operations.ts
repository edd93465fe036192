import { z } from 'zod';
import { lineText, uuid } from '../fields/text.ts';
import { dataOf } from '../list.ts';
import { operation } from '../operation.ts';
import { orgPath, pathOrg } from './shared/console-path.ts';
import { allOf, id, time } from './shared/page.schema.ts';
import { ChangedRun, RunStatusName } from './shared/run.schema.ts';

const problems = `${orgPath}/problems` as const;

export const Problem = z.object({
  workflow_id: id,
  workflow: z.string(),
  step: z.string().meta({ description: 'Where it failed, without the indices of loops; `-` for no step.' }),
  code: z.string().meta({ description: 'Of the error; `-` for none.' }),
  runs: z.int(),
  first_failed_at: time,
  last_failed_at: time,
  message: z.string().meta({ description: 'Of the run that failed last.' }),
  examples: z.array(id).meta({ description: 'The newest runs, three at most.' }),
});

export type Problem = z.output<typeof Problem>;

export const listProblems = operation({
  id: 'listProblems',
  method: 'get',
  path: problems,
  summary: 'List the causes of failed runs',
  description: 'Of the newest 10,000 failed runs: by workflow, step and code of the error, the most frequent first.',
  permission: 'read',
  params: pathOrg,
  success: {
    status: 200,
    description: 'The problems, a hundred at most.',
    body: z.object({
      ...allOf(Problem).shape,
      has_more: z.boolean().meta({ description: 'Whether there are more than a hundred.' }),
      looked_at: z.int().meta({ description: 'How many failed runs were looked at.' }),
      looked_back_to: time
        .nullable()
        .meta({ description: 'Older failed runs were not looked at; null: there are none.' }),
    }),
  },
});

export const retryProblem = operation({
  id: 'retryProblem',
  method: 'post',
  path: `${problems}/retry`,
  summary: 'Go on with failed runs of one cause, a page at a time',
  description: 'The newest first. Call it again with `before` as `next` says, until that is null.',
  permission: 'work',
  params: pathOrg,
  body: z.strictObject({
    workflow: uuid(),
    step: lineText(),
    code: lineText(),
    before: uuid().optional().meta({ description: 'Only runs that are older.' }),
    limit: z.int().min(1).max(200).default(200),
  }),
  example: { workflow: '019a1b2c-0000-7000-8000-000000000001', step: 'notify', code: 'bad_status' },
  success: {
    status: 200,
    description: 'The runs, queued again.',
    body: dataOf(
      z.object({
        retried: z.array(ChangedRun),
        next: id.nullable().meta({ description: 'Older ones may be left, to go on with before this id.' }),
      }),
    ),
  },
});

export const listRunStates = operation({
  id: 'listRunStates',
  method: 'post',
  path: `${orgPath}/runs/states`,
  summary: 'Read how some runs are by now',
  description: 'What is no run of the organization is left out.',
  permission: 'read',
  onlyReads: true,
  params: pathOrg,
  body: z.strictObject({ ids: z.array(uuid()).min(1).max(1_000) }),
  example: { ids: ['019a1b2c-0000-7000-8000-000000000001'] },
  success: { status: 200, description: 'Their states.', body: allOf(z.object({ id, status: RunStatusName })) },
});
