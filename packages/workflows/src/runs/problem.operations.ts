import type { Db } from '@relata/db';
import { type Actor, type OperationContext, toEventOrigin, readInput, writeAuditEvent } from '@relata/events';
import { orNotFound } from '@relata/schemas/errors';
import { instant, shortText, uuid } from '@relata/schemas';
import { z } from 'zod';
import { lockProblemState, lockWorkflow, removeProblemState, storeProblemState } from './problem-state.sql.ts';
import { type Cause, findProblem, type Problem, type ProblemState, problemStateNames } from './problem.sql.ts';

const NewState = z.strictObject({
  workflowId: uuid(),
  step: shortText(),
  code: shortText(),
  state: z.enum(problemStateNames),
  /** Runs and last failure that the caller has seen; the current ones by default. Later failures count as new. */
  seen: z.strictObject({ runs: z.int().min(0), lastFailedAt: instant() }).optional(),
});

const typeOf = { open: 'problem.reopened', resolved: 'problem.resolved', ignored: 'problem.ignored' } as const;

/**
 * Resolves a problem until it happens again, ignores it until it is reopened, or reopens it. Changes no run. Throws
 * `not_found` if no failed run or refused start has this cause.
 */
export async function setProblemState(
  { database }: Pick<OperationContext, 'database'>,
  actor: Actor,
  input: z.input<typeof NewState>,
): Promise<Problem> {
  const { state, seen, ...cause } = readInput(NewState, input);
  return database.transaction(async (db) => {
    const stored = await lockProblemState(db, actor.orgId, cause);
    const before = await getProblem(db, actor.orgId, cause);
    if (state === 'open' ? stored === undefined : before.state === state) return before;
    if (state === 'open') await removeProblemState(db, actor.orgId, cause);
    else {
      const { actor: author } = toEventOrigin(actor);
      await storeProblemState(db, actor.orgId, cause, { state, ...knownOf(before, seen), author });
    }
    const after = await getProblem(db, actor.orgId, cause);
    // The lock makes the events of a workflow commit in the order of `seq`, on which readers rely.
    await lockWorkflow(db, actor.orgId, cause.workflowId);
    await writeAuditEvent(db, actor, typeOf[state], { before: rowOf(before), row: rowOf(before, state) });
    return after;
  });
}

/**
 * Returns the values to store: those that the caller has seen, but never more than the current ones, so that later
 * failures always count as new.
 */
function knownOf({ last_failed_at: failedAt, runs, version }: Problem, seen: z.output<typeof NewState>['seen']) {
  if (seen === undefined) return { failedAt, runs, version };
  const isOlder = Date.parse(seen.lastFailedAt) < Date.parse(failedAt);
  return { failedAt: isOlder ? seen.lastFailedAt : failedAt, runs: Math.min(seen.runs, runs), version };
}

/** Returns the row of the audit event, whose record is the workflow. */
function rowOf(problem: Problem, state: ProblemState = problem.state) {
  const { workflow_id: id, workflow: name, step, code } = problem;
  return { id, name, step, code, state };
}

async function getProblem(db: Db, orgId: string, cause: Cause): Promise<Problem> {
  const message = 'No failed run or refused start of this organization has this workflow, step and code.';
  return orNotFound(await findProblem(db, orgId, cause), message);
}
