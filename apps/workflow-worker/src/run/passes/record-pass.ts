import { type Attempt, RolledBackError, type Unit, type UnitDb } from '@relata/db';
import { runActor } from '@relata/events';
import { storableJson } from '@relata/expressions';
import { recordSteps } from '../../steps/record-steps.ts';
import type { Ending } from '../ending.ts';
import { Interrupted, endsPass, LateFailure } from '../interruption.ts';
import { traceStep } from '../run-trace.ts';
import { isSkipped, type Visit, type Visited, type VisitOf } from '../visit.ts';
import { settleLoop } from './loop-pass.ts';
import { groupStepsMax, type Pass } from './pass.ts';
import { StepDb } from './step-db.ts';

/** A visit that is executed within a transaction: a record step, or the beginning or end of a loop. */
type Groupable = VisitOf<'record' | 'loop'>;

/** Length of the unwritten journal, in characters of JSON, above which a run adds no further step to a transaction. */
const groupCharactersMax = 200_000;

/**
 * Executes consecutive record steps. The steps, their journal entries and the state of the run form one unit, which
 * shares its transaction with units of other runs. The unit ends early, before a step that fails or that needs a row
 * locked by another transaction.
 */
export async function executeRecords(pass: Pass, first: Visit): Promise<Visited | Ending> {
  const { executor, memory, signal } = pass.execution;
  await pass.beginRecords();
  const isFirstAlone = pass.takeStepAlone();
  const group = new StepGroup(pass, first, isFirstAlone);
  try {
    const isAlone = isFirstAlone || memory.isNearlyFull;
    const visited = await (isAlone ? executor.runAlone(group) : executor.run(group));
    pass.committed();
    return visited.done ? { kind: 'ended', status: 'succeeded' } : visited;
  } catch (error) {
    if (endsPass(error)) throw error;
    if (signal.aborted) throw new Interrupted();
    if (group.settled === 0) return pass.fail(group.first, error instanceof LateFailure ? error.cause : error);
    // The journal could not be written.
    throw error;
  }
}

/** The steps of one run in one transaction. */
class StepGroup implements Unit<Visited> {
  readonly orgId: string;
  readonly signal: AbortSignal;
  readonly #pass: Pass;
  readonly #isAlone: boolean;
  first: Visit;
  /** Number of steps executed in the last attempt. */
  settled = 0;

  constructor(pass: Pass, first: Visit, isAlone: boolean) {
    this.orgId = pass.execution.run.org_id;
    this.signal = pass.execution.signal;
    this.#pass = pass;
    this.#isAlone = isAlone;
    this.first = first;
  }

  /**
   * Executes the steps. `Executor` (packages/db/src/units) calls this method within a transaction, and combines the
   * `db.call`s of several runs. Throws if the first step fails. If a later step fails without having written, the group
   * ends before it, and the next group begins with that step. If the later step has written, throws its error: the
   * transaction is rolled back, and the steps run again one by one.
   */
  async run(db: UnitDb, { isRetry, isOver }: Attempt): Promise<Visited> {
    const { signal, journal, leaseMs } = this.#pass.execution;
    if (signal.aborted) throw new Interrupted();
    if (isRetry) this.#pass.runStepsAlone();
    // Only the transaction of a large delete waits for locks. It holds many locks itself, so it executes a single step.
    const stepsMax = this.#isAlone || isRetry || db.waits ? 1 : groupStepsMax;
    this.settled = 0;
    let next: Visited = { done: false, value: this.first };
    while (!next.done && isGroupable(next.value) && (this.settled === 0 || this.#hasRoom(stepsMax, isOver))) {
      const settled = await this.#trySettle(db, next.value);
      if (!settled) break;
      next = settled;
      this.settled++;
    }
    await journal.write(db, next.done ? { status: 'succeeded' } : { status: 'running', leaseMs });
    return next;
  }

  /** Returns to the first step of the group, after a rollback. */
  async reset(): Promise<void> {
    const visited = await this.#pass.restart();
    // The journal has entries that this worker does not know. The next pass loads them.
    if (visited.done || !isSame(visited.value, this.first)) throw new RolledBackError();
    this.first = visited.value;
  }

  #hasRoom(stepsMax: number, isOver: () => boolean): boolean {
    const { memory, journal } = this.#pass.execution;
    const isWithinBounds = this.settled < stepsMax && journal.unwrittenCharacters < groupCharactersMax;
    return isWithinBounds && !isOver() && memory.fits();
  }

  async #trySettle(db: UnitDb, visit: Groupable): Promise<Visited | undefined> {
    const stepDb = new StepDb(db);
    try {
      return await settleInTransaction(this.#pass, stepDb, visit);
    } catch (error) {
      if (this.settled === 0 || (stepDb.hasWritten && !stepDb.hasFailed)) throw error;
      return undefined;
    }
  }
}

function isSame(one: Visit, other: Visit): boolean {
  return one.path === other.path && one.kind === other.kind;
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
  const { run, workflow, trace } = pass.execution;
  const actor = runActor(run.org_id, { runId: run.id, workflow: workflow.name, step: visit.path, depth: 0 });
  const output = await traceStep(trace, visit, () => recordSteps[step.use](db, actor, input));
  pass.execution.metrics.stepDone(step.use, 'succeeded', (performance.now() - startedAt) / 1_000);
  try {
    return pass.settle(visit, { status: 'succeeded', attempts: 1, input: storableJson(input) }, output);
  } catch (error) {
    throw new LateFailure(error);
  }
}
