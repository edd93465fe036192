import { z } from 'zod';
import { instant } from '../fields/instant.ts';
import { lineText, uuid } from '../fields/text.ts';
import { dataOf } from '../list.ts';
import { operation } from '../operation.ts';
import { Author } from './shared/author.schema.ts';
import { orgPath, pathOrg } from './shared/console-path.ts';
import { allOf, id, time } from './shared/page.schema.ts';
import { ChangedRun, RunStatusName } from './shared/run.schema.ts';

const problems = `${orgPath}/problems` as const;

const State = z.enum(['open', 'resolved', 'ignored']);

export const Problem = z.object({
  workflow_id: id,
  workflow: z.string(),
  version: z.int().meta({ description: 'The newest version of the workflow.' }),
  step: z.string().meta({ description: 'Where it failed, without the indices of loops; `-` for no step.' }),
  code: z.string().meta({ description: 'Code of the error; `-` for none.' }),
  runs: z.int(),
  first_failed_at: time,
  last_failed_at: time,
  message: z.string().meta({ description: 'Error of the run that failed last.' }),
  examples: z.array(id).meta({ description: 'The newest runs, three at most.' }),
  state: State,
  put_aside: z
    .object({
      state: z.enum(['resolved', 'ignored']),
      at: time,
      by: Author,
      version: z.int().meta({ description: 'The newest version of the workflow then.' }),
      runs_since: z.int().meta({ description: 'Failures since.' }),
    })
    .nullable()
    .meta({
      description: 'When somebody last resolved or ignored it. A resolved problem is open again once it fails.',
    }),
});

export type Problem = z.output<typeof Problem>;

export const listProblems = operation({
  id: 'listProblems',
  method: 'get',
  path: problems,
  summary: 'List the causes of failed runs',
  description:
    'Groups the newest 10,000 failed runs by workflow, step and code of the error, the most frequent first. Runs that were replayed since are left out.',
  permission: 'read',
  params: pathOrg,
  query: z.strictObject({ state: State.default('open') }),
  success: {
    status: 200,
    description: 'The problems in this state, a hundred at most.',
    body: z.object({
      ...allOf(Problem).shape,
      counts: z
        .object({ open: z.int(), resolved: z.int(), ignored: z.int() })
        .meta({ description: 'How many problems there are in each state.' }),
      has_more: z.boolean().meta({ description: 'True if there are more than a hundred.' }),
      looked_at: z.int().meta({ description: 'How many failed runs were looked at.' }),
      looked_back_to: time
        .nullable()
        .meta({ description: 'Older failed runs were not looked at; null if there are none.' }),
    }),
  },
});

const cause = { workflow: uuid(), step: lineText(), code: lineText() };
const example = { workflow: '019a1b2c-0000-7000-8000-000000000001', step: 'notify', code: 'bad_status' };

export const setProblemState = operation({
  id: 'setProblemState',
  method: 'post',
  path: `${problems}/state`,
  summary: 'Resolve a problem until it happens again, ignore it until it is opened, or open it',
  permission: 'work',
  params: pathOrg,
  body: z.strictObject({
    ...cause,
    state: State,
    seen: z
      .strictObject({ runs: z.int().min(0), last_failed_at: instant() })
      .optional()
      .meta({ description: 'What its author has seen of the problem: failures since then are new.' }),
  }),
  example: { ...example, state: 'resolved' },
  success: { status: 200, description: 'The problem as it is now.', body: dataOf(Problem) },
});

const paging = (limit: number) => ({
  ...cause,
  before: uuid().optional().meta({ description: 'Only runs that are older.' }),
  limit: z.int().min(1).max(limit).default(limit),
});

const refused = z
  .array(z.object({ id, message: z.string() }))
  .meta({ description: 'Runs that were left as they are, and why.' });
const next = id.nullable().meta({ description: 'Older ones may be left, to go on with before this id.' });

export const retryProblem = operation({
  id: 'retryProblem',
  method: 'post',
  path: `${problems}/retry`,
  summary: 'Go on with failed runs of one cause, a page at a time',
  description: 'The newest first. Call it again with `before` as `next` says, until that is null.',
  permission: 'work',
  params: pathOrg,
  body: z.strictObject({
    ...paging(200),
    latest: z
      .boolean()
      .default(false)
      .meta({ description: 'With the newest version of the workflow in place of the one that each run has.' }),
  }),
  example,
  success: {
    status: 200,
    description: 'The runs, queued again.',
    body: dataOf(z.object({ retried: z.array(ChangedRun), refused, next })),
  },
});

export const replayProblem = operation({
  id: 'replayProblem',
  method: 'post',
  path: `${problems}/replay`,
  summary: 'Start the workflow anew for the deliveries of failed runs of one cause, a page at a time',
  description:
    'With the newest version and the mapping of now; other workflows are not started. What was replayed already is passed over.',
  permission: 'work',
  params: pathOrg,
  body: z.strictObject(paging(50)),
  example,
  success: {
    status: 200,
    description: 'The runs that were started.',
    body: dataOf(z.object({ started: z.array(z.object({ id, replaces: id })), refused, next })),
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
