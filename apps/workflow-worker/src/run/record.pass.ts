import type { Db } from '@relata/db';
import { recordSteps } from '../steps/record.steps.ts';
import type { Ending, Visited } from './execution.ts';
import { GroupFailure, isPassing } from './interruption.ts';
import { settleLoop } from './loop.pass.ts';
import type { Pass } from './pass.ts';
import type { Visit } from './visit.ts';

/**
 * Consecutive record steps, their journal and what becomes of the run are one transaction, of at most `stepsMax` steps.
 * Throws GroupFailure where one of several failed: nothing was done then.
 */
export async function takeRecords(pass: Pass, first: Visit, stepsMax: number): Promise<Visited | Ending> {
  const { database, journal, leaseMs } = pass.at;
  const mark = journal.mark();
  const doing = { visit: first };
  try {
    const visited = await database.transaction(async (db) => {
      let next: Visited = { done: false, value: first };
      for (let count = 0; count < stepsMax && !next.done && isGroupable(next.value); count++) {
        doing.visit = next.value;
        next = await settleInTransaction(pass, db, next.value);
      }
      await journal.write(db, next.done ? { status: 'succeeded' } : { status: 'running', leaseMs });
      return next;
    });
    pass.committed();
    return visited.done ? { kind: 'ended', status: 'succeeded' } : visited;
  } catch (error) {
    if (isPassing(error)) throw error;
    if (stepsMax > 1) throw new GroupFailure();
    journal.rollBack(mark);
    return pass.fail(doing.visit, error);
  }
}

function isGroupable({ kind, step }: Visit): boolean {
  return kind !== 'step' || step.run === 'record';
}

async function settleInTransaction(pass: Pass, db: Db, visit: Visit): Promise<Visited> {
  if (visit.kind !== 'step') return settleLoop(pass, visit);
  const startedAt = performance.now();
  const { step, scope } = visit;
  if (step.when && !step.when(scope)) return pass.settle(visit, { status: 'skipped' }, null);
  const input = step.with(scope);
  const output = await recordSteps[step.use]!(db, pass.at.run.org_id, input);
  pass.at.onStep(step.use, 'succeeded', (performance.now() - startedAt) / 1_000);
  return pass.settle(visit, { status: 'succeeded', attempts: 1, input, output }, output);
}
