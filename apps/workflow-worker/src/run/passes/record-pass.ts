import { isUnavailable, LockedError, type UnitDb } from '@relata/db';
import { workflowRunIn } from '@relata/events';
import { recordSteps } from '../../steps/record-steps.ts';
import { LockWait } from '../cohorts/locked-keys.ts';
import type { Ending } from '../ending.ts';
import type { Visited } from '../execution.ts';
import { GroupFailure, Interrupted, isPassing, LateFailure } from '../interruption.ts';
import { toJsonText } from '../json-text.ts';
import { traceStep } from '../run-trace.ts';
import { isSkipped, type Visit, type VisitOf } from '../visit.ts';
import { settleLoop } from './loop-pass.ts';
import type { Pass } from './pass.ts';

/** What is done within a transaction: a record step, or where a loop begins or ends. */
type Groupable = VisitOf<'record' | 'loop'>;

/** Most steps of one transaction: what it locks is freed soon. */
export const groupStepsMax = 50;

/** What one run writes of its steps in a transaction, as JSON; a step more may be that much again. */
const groupCharactersMax = 200_000;

/**
 * Consecutive record steps, their journal and what becomes of the run are part of one transaction, which is a cohort's;
 * they end early before a step that fails, or that needs what another transaction has locked. Where `isCareful`, a single
 * step has a transaction of its own. Throws GroupFailure where that does not show yet which step is at fault.
 */
export async function executeRecords(pass: Pass, first: Visit, isCareful: boolean): Promise<Visited | Ending> {
  using locked = new LockWait(pass.at.lockedKeys, pass.at.signal);
  for (;;) {
    try {
      return await executeGroup(pass, first, isCareful);
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
      await locked.wait(error.key);
    }
  }
}

/** Throws LockedError only where nothing was done, and the walk stands where it stood. */
async function executeGroup(pass: Pass, first: Visit, isCareful: boolean): Promise<Visited | Ending> {
  const { cohorts, run, memory } = pass.at;
  const group = new Group(pass, first, isCareful ? 1 : groupStepsMax);
  try {
    const visited = await cohorts.run(
      run.org_id,
      (db, isOver) => group.settle(db, isOver),
      isCareful || memory.isNearlyFull,
    );
    pass.committed();
    return visited.done ? { kind: 'ended', status: 'succeeded' } : visited;
  } catch (error) {
    const isKnown = isCareful && error instanceof GroupFailure && !isUnavailable(error.cause);
    // Its journal could not be written: the walk has gone on.
    if (isKnown && group.settled > 0) throw error.cause;
    if (!isKnown && isPassing(error)) throw error;
    return pass.fail(first, isKnown ? error.cause : error);
  }
}

/** What one run does in one transaction. */
class Group {
  readonly #pass: Pass;
  readonly #first: Visit;
  readonly #stepsMax: number;
  settled = 0;

  constructor(pass: Pass, first: Visit, stepsMax: number) {
    this.#pass = pass;
    this.#first = first;
    this.#stepsMax = stepsMax;
  }

  /** Throws what the first step failed of, having written nothing: any other that fails is the first of the next group. */
  async settle(db: UnitDb, isOver: () => boolean): Promise<Visited> {
    const { signal, journal, leaseMs } = this.#pass.at;
    if (signal.aborted) throw new Interrupted();
    let next: Visited = { done: false, value: this.#first };
    while (!next.done && isGroupable(next.value) && (this.settled === 0 || this.#hasRoom(isOver))) {
      const settled = await this.#trySettle(db, next.value);
      if (!settled) break;
      next = settled;
      this.settled++;
    }
    await journal.write(db, next.done ? { status: 'succeeded' } : { status: 'running', leaseMs });
    return next;
  }

  #hasRoom(isOver: () => boolean): boolean {
    const { memory, journal } = this.#pass.at;
    const isWithinBounds = this.settled < this.#stepsMax && journal.unwrittenCharacters < groupCharactersMax;
    return isWithinBounds && !isOver() && memory.fits();
  }

  async #trySettle(db: UnitDb, visit: Groupable): Promise<Visited | undefined> {
    try {
      return await settleInTransaction(this.#pass, db, visit);
    } catch (error) {
      if (this.settled === 0 || error instanceof LateFailure) throw error;
      return undefined;
    }
  }
}

function isGroupable(visit: Visit): visit is Groupable {
  return visit.step.executor === 'record' || visit.step.executor === 'loop';
}

async function settleInTransaction(pass: Pass, db: UnitDb, visit: Groupable): Promise<Visited> {
  const { step, context } = visit;
  if (step.executor === 'loop') return settleLoop(pass, { ...visit, step });
  const startedAt = performance.now();
  if (isSkipped(visit)) return pass.skip(visit);
  const input = step.with(context);
  const { run, workflow, trace } = pass.at;
  const actor = workflowRunIn(run.org_id, { runId: run.id, workflow, step: visit.path, depth: 0 });
  const output = await traceStep(trace, visit, () => recordSteps[step.use](db, actor, input));
  pass.at.metrics.stepDone(step.use, 'succeeded', (performance.now() - startedAt) / 1_000);
  try {
    return pass.settle(visit, { status: 'succeeded', attempts: 1, input: toJsonText(input) }, output);
  } catch (error) {
    throw new LateFailure(error);
  }
}
