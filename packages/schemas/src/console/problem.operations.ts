import { z } from 'zod';
import { instant } from '../fields/instant.ts';
import { shortText, uuid } from '../fields/text.ts';
import { dataSchema } from '../lists/list.ts';
import { Author } from './shared/author.schema.ts';
import { consoleOperation } from './shared/console-operation.ts';
import { wholeListSchema, id, time } from './shared/page.schema.ts';
import { ChangedRun, RunStatusName } from './shared/run.schema.ts';

const State = z.enum(['open', 'resolved', 'ignored']);

const Problem = z.object({
  workflow_id: id,
  workflow: z.string(),
  version: z.int(),
  /** The failed step, without the indices of loops; `-` for none; `TRIGGER_ID/INPUT` for refused starts. */
  step: z.string(),
  /** Code of the error; `-` for none. */
  code: z.string(),
  /** Set for deliveries that did not satisfy an input of the workflow, so that it was not started. */
  refused: z.object({ trigger_id: id, trigger: z.string(), input: z.string() }).nullable(),
  /** Number of failed runs, or of refused deliveries. */
  runs: z.int(),
  first_failed_at: time,
  last_failed_at: time,
  /** Error of the latest failure. */
  message: z.string(),
  /** The newest runs, or refused deliveries, three at most. */
  examples: z.array(id),
  state: State,
  /** Set when somebody resolves or ignores the problem. A resolved problem reopens with its next failure. */
  put_aside: z
    .object({
      state: z.enum(['resolved', 'ignored']),
      at: time,
      by: Author,
      version: z.int(),
      /** Number of failures since then. */
      runs_since: z.int(),
    })
    .nullable(),
});

export type Problem = z.output<typeof Problem>;

/**
 * Groups failures, the most frequent first: the newest 10,000 failed runs by workflow, step and error code, and the
 * newest 10,000 refused deliveries by trigger, workflow, input and code. Replayed runs and deliveries are left out.
 */
export const listProblems = consoleOperation('get', '/orgs/{org}/problems', {
  permission: 'read',
  query: z.strictObject({ state: State.default('open') }),
  success: {
    status: 200,
    body: z.object({
      ...wholeListSchema(Problem).shape,
      counts: z.object({ open: z.int(), resolved: z.int(), ignored: z.int() }),
      has_more: z.boolean(),
      looked_at: z.int(),
      /** Failures before this time were not examined; null if all were examined. */
      looked_back_to: time.nullable(),
    }),
  },
});

const cause = { workflow: uuid(), step: shortText(), code: shortText() };
const example = { workflow: '019a1b2c-0000-7000-8000-000000000001', step: 'notify', code: 'bad_status' };

export const setProblemState = consoleOperation('post', '/orgs/{org}/problems/state', {
  permission: 'work',
  body: z.strictObject({
    ...cause,
    state: State,
    /** The last failure that the caller has seen; later failures are new. */
    seen: z.strictObject({ runs: z.int().min(0), last_failed_at: instant() }).optional(),
  }),
  example: { ...example, state: 'resolved' },
  success: { status: 200, body: dataSchema(Problem) },
});

const paging = (limit: number) => ({
  ...cause,
  before: uuid().optional(),
  limit: z.int().min(1).max(limit).default(limit),
});

/** Runs or deliveries that were left unchanged, with the reasons. */
const refused = z.array(z.object({ id, message: z.string() }));
/** Value of `before` for the next call; null if no older run is left. */
const next = id.nullable();

/** Takes the newest runs first. Repeat the call with `before` set to `next` until `next` is null. */
export const retryProblem = consoleOperation('post', '/orgs/{org}/problems/retry', {
  permission: 'work',
  body: z.strictObject({
    ...paging(200),
    /** True to continue with the newest version of the workflow instead of each run's own. */
    latest: z.boolean().default(false),
  }),
  example,
  success: { status: 200, body: dataSchema(z.object({ retried: z.array(ChangedRun), refused, next })) },
});

/**
 * Uses the newest version and the current mapping, and starts no other workflow. Replayed runs are skipped. `replaces`
 * is the failed run or the refused delivery.
 */
export const replayProblem = consoleOperation('post', '/orgs/{org}/problems/replay', {
  permission: 'work',
  body: z.strictObject(paging(50)),
  example,
  success: {
    status: 200,
    body: dataSchema(z.object({ started: z.array(z.object({ id, replaces: id })), refused, next })),
  },
});

/** Skips ids of runs that the organization does not have. */
export const listRunStates = consoleOperation('post', '/orgs/{org}/runs/states', {
  permission: 'read',
  onlyReads: true,
  body: z.strictObject({ ids: z.array(uuid()).min(1).max(1_000) }),
  example: { ids: ['019a1b2c-0000-7000-8000-000000000001'] },
  success: { status: 200, body: wholeListSchema(z.object({ id, status: RunStatusName })) },
});
