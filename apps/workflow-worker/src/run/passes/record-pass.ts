import { type Db, isContended } from '@relata/db';
import { workflowRunIn } from '@relata/events';
import { recordSteps } from '../../steps/record-steps.ts';
import type { Ending, Visited } from '../execution.ts';
import { GroupFailure, isPassing, BusyError } from '../interruption.ts';
import { settleLoop } from './loop-pass.ts';
import { toJsonText } from '../json-text.ts';
import type { Pass } from './pass.ts';
import { TransactionLocks } from '../locks/transaction-locks.ts';
import { isSkipped, type Visit, type VisitOf } from '../visit.ts';

/** What is done within a transaction: a record step, or where a loop begins or ends. */
type Groupable = VisitOf<'record' | 'loop'>;

/**
 * Consecutive record steps, their journal and what becomes of the run are one transaction, of at most `stepsMax` steps;
 * it ends early at a match that another run has locked. Throws GroupFailure where one of several failed: nothing was
 * done then.
 */
export async function executeRecords(pass: Pass, first: Visit, stepsMax: number): Promise<Visited | Ending> {
  using locks = new TransactionLocks(pass.at.matchLocks);
  for (let most = stepsMax; ;) {
    try {
      return await executeGroup(pass, first, { stepsMax: most, locks });
    } catch (error) {
      if (!(error instanceof BusyError)) throw error;
      if (error.key === undefined) most = 1;
      await locks.wait(error.key, pass.at.signal);
    }
  }
}

interface Group {
  stepsMax: number;
  locks: TransactionLocks;
}

async function executeGroup(pass: Pass, first: Visit, group: Group): Promise<Visited | Ending> {
  const { database, journal, leaseMs } = pass.at;
  const mark = journal.mark();
  const doing = { visit: first };
  try {
    const visited = await database.transaction(async (db) => {
      const next = await settleGroup(pass, db, doing, group);
      await journal.write(db, next.done ? { status: 'succeeded' } : { status: 'running', leaseMs });
      return next;
    });
    pass.committed();
    return visited.done ? { kind: 'ended', status: 'succeeded' } : visited;
  } catch (error) {
    if (isPassing(error)) throw error;
    if (group.stepsMax > 1) throw new GroupFailure();
    journal.rollBack(mark);
    return pass.fail(doing.visit, error);
  }
}

/** `doing` follows the step that is being done. Throws BusyError only where the first step could not be done. */
async function settleGroup(pass: Pass, db: Db, doing: { visit: Visit }, { stepsMax, locks }: Group): Promise<Visited> {
  let next: Visited = { done: false, value: doing.visit };
  for (let count = 0; count < stepsMax && !next.done && isGroupable(next.value); count++) {
    if (count > 0 && !pass.at.memory.fits()) break;
    doing.visit = next.value;
    try {
      next = await settleInTransaction(pass, db, next.value, locks);
    } catch (error) {
      if (count > 0 && error instanceof BusyError) break;
      throw count === 0 && isContended(error) ? new BusyError() : error;
    }
  }
  return next;
}

function isGroupable(visit: Visit): visit is Groupable {
  return visit.step.executor === 'record' || visit.step.executor === 'loop';
}

async function settleInTransaction(pass: Pass, db: Db, visit: Groupable, locks: TransactionLocks): Promise<Visited> {
  const { step, context } = visit;
  if (step.executor === 'loop') return settleLoop(pass, { ...visit, step });
  const startedAt = performance.now();
  if (isSkipped(visit)) return pass.skip(visit);
  const input = step.with(context);
  const { run, workflow } = pass.at;
  const actor = workflowRunIn(run.org_id, { runId: run.id, workflow, step: visit.path, depth: 0 });
  const output = await recordSteps[step.use](db, actor, input, locks.lock);
  pass.at.onStep(step.use, 'succeeded', (performance.now() - startedAt) / 1_000);
  return pass.settle(visit, { status: 'succeeded', attempts: 1, input: toJsonText(input) }, output);
}
