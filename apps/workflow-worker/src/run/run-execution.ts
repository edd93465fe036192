import { type Database, type Db, isUnavailable } from '@relata/db';
import type { Log } from '@relata/runtime';
import {
  type ClaimedRun,
  type CompiledWorkflow,
  LeaseLostError,
  type RunOutcome,
  type Scope,
  StaleJournalError,
  type StepError,
} from '@relata/workflows';
import { networkSteps, type Reach } from '../steps/network.steps.ts';
import { readItems } from '../steps/loop.step.ts';
import { recordSteps } from '../steps/record.steps.ts';
import { type ExplainedError, explainStepError, outputTooLarge } from '../steps/step.error.ts';
import { timerOf } from '../steps/timer.step.ts';
import { retryDelayMs } from './retry-delay.ts';
import { type EntryOf, isOutputTooLarge, RunJournal } from './run-journal.ts';
import { loadScope } from './run-scope.ts';
import { StepFailure, type Visit } from './visit.ts';
import { type Walk, walk } from './walk.ts';

/** Most steps of one transaction: what it locks is freed soon. */
const groupStepsMax = 50;

export interface ExecutionContext {
  database: Database;
  log: Log;
  reach: Reach;
  leaseMs: number;
  onStep(use: string, status: string, seconds: number): void;
  /** The first effect of a run that nobody had before is committed. */
  onFirstCommit(): void;
}

/** How an execution ended, for whoever started it. */
export type Ending =
  | { kind: 'ended'; status: 'succeeded' | 'failed' }
  /** It goes on by itself at this time. */
  | { kind: 'waiting'; wakeAt: string }
  /** Another worker has it now, or it was cancelled. */
  | { kind: 'lost' }
  /** It was interrupted, and is still ours to give back. */
  | { kind: 'interrupted' };

type Visited = IteratorResult<Visit, unknown>;

/** One run in the hands of one worker, from its claim until it ends, waits, or is somebody else's. */
export class RunExecution {
  readonly run: ClaimedRun;
  readonly #signal: AbortSignal;
  readonly #workflow: CompiledWorkflow;
  readonly #context: ExecutionContext;
  readonly #journal: RunJournal;
  #newScope: (() => Scope) | undefined;
  #isJournalKnown: boolean;
  #isFirstCommit: boolean;
  /** After a group failed its steps are done one by one, to name the one at fault. */
  #groupMax = groupStepsMax;

  /** The signal is aborted when the run is lost, or the worker stops. */
  constructor(run: ClaimedRun, workflow: CompiledWorkflow, context: ExecutionContext, signal: AbortSignal) {
    this.run = run;
    this.#signal = signal;
    this.#workflow = workflow;
    this.#context = context;
    this.#journal = new RunJournal(run);
    this.#isJournalKnown = run.is_first;
    this.#isFirstCommit = run.is_first;
  }

  /**
   * Throws only what says that the database is away, and may then be called again. A commit of which nothing was heard
   * may have been one: what is done is read anew.
   */
  async execute(): Promise<Ending> {
    const { database } = this.#context;
    this.#newScope ??= await loadScope(database, this.run, this.#workflow);
    for (;;) {
      try {
        if (!this.#isJournalKnown) await this.#journal.load(database);
        this.#isJournalKnown = true;
        return await this.#passThrough();
      } catch (error) {
        if (error instanceof LeaseLostError) return { kind: 'lost' };
        if (error instanceof Interrupted) return { kind: 'interrupted' };
        if (error instanceof GroupFailure) this.#groupMax = 1;
        else this.#isJournalKnown = false;
        if (!(error instanceof GroupFailure || error instanceof StaleJournalError)) throw error;
      }
    }
  }

  async #passThrough(): Promise<Ending> {
    this.#journal.rollBack();
    const walking = walk(this.#workflow.steps, { scope: this.#newScope!(), journal: this.#journal.written });
    try {
      let visited = walking.next();
      while (!visited.done) {
        if (this.#signal.aborted) throw new Interrupted();
        const next = await this.#take(walking, visited.value);
        if ('kind' in next) return next;
        visited = next;
      }
      return await this.#end({ status: 'succeeded' });
    } catch (error) {
      if (!(error instanceof StepFailure)) throw error;
      return this.#end({ status: 'failed', error: error.error });
    }
  }

  /** The walk's next visit; or how the execution ends here. */
  async #take(walking: Walk, visit: Visit): Promise<Visited | Ending> {
    if (visit.kind === 'step' && visit.step.run === 'record') return this.#takeGroup(walking, visit);
    if (visit.kind !== 'step') return this.#takeLoop(walking, visit);
    return visit.step.run === 'timer' ? this.#takeTimer(walking, visit) : this.#takeNetwork(walking, visit);
  }

  /** Consecutive record steps, their journal and what becomes of the run are one transaction. */
  async #takeGroup(walking: Walk, first: Visit): Promise<Visited | Ending> {
    const { database, leaseMs } = this.#context;
    const mark = this.#journal.mark();
    const at = { current: first };
    try {
      const visited = await database.transaction(async (db) => {
        let next: Visited = { done: false, value: first };
        for (let count = 0; count < this.#groupMax && !next.done && isGroupable(next.value); count++) {
          at.current = next.value;
          next = await this.#doInTransaction(db, walking, next.value);
        }
        await this.#journal.write(db, next.done ? { status: 'succeeded' } : { status: 'running', leaseMs });
        return next;
      });
      this.#committed();
      return visited.done ? { kind: 'ended', status: 'succeeded' } : visited;
    } catch (error) {
      if (isPassing(error) || error instanceof StepFailure) throw error;
      if (this.#groupMax > 1) throw new GroupFailure();
      this.#journal.rollBack(mark);
      return this.#fail(walking, at.current, error);
    }
  }

  async #doInTransaction(db: Db, walking: Walk, visit: Visit): Promise<Visited> {
    if (visit.kind !== 'step') return this.#doLoop(walking, visit);
    const startedAt = performance.now();
    const { step, scope } = visit;
    if (step.when && !step.when(scope)) return this.#settle(walking, visit, { status: 'skipped' }, null);
    const input = step.with(scope);
    const output = await recordSteps[step.use]!(db, this.run.org_id, input);
    this.#context.onStep(step.use, 'succeeded', (performance.now() - startedAt) / 1_000);
    return this.#settle(walking, visit, { status: 'succeeded', attempts: 1, input, output }, output);
  }

  async #takeLoop(walking: Walk, visit: Visit): Promise<Visited> {
    try {
      return this.#doLoop(walking, visit);
    } catch (error) {
      if (error instanceof StepFailure) throw error;
      return this.#fail(walking, visit, error);
    }
  }

  #doLoop(walking: Walk, visit: Visit): Visited {
    const { kind, step, scope } = visit;
    if (kind === 'fail') return this.#fail(walking, visit, visit.failure);
    if (kind === 'leave') {
      if (isOutputTooLarge(visit.output, true)) throw outputTooLarge();
      return this.#settle(walking, visit, { status: 'succeeded', attempts: 1, output: visit.output }, visit.output);
    }
    if (step.when && !step.when(scope)) return this.#settle(walking, visit, { status: 'skipped' }, null);
    const items = readItems(step.with(scope));
    if (isOutputTooLarge(items, true)) throw outputTooLarge();
    return this.#settle(walking, visit, { status: 'running', attempts: 1, input: { items } }, items);
  }

  async #takeTimer(walking: Walk, visit: Visit): Promise<Visited | Ending> {
    const { step, scope, known } = visit;
    const wakeAt = known?.status === 'waiting' ? known.wake_at : null;
    if (wakeAt !== null) {
      // Judged by the database's clock alone, which also set the time.
      if (wakeAt > this.run.claimed_at) return this.#wait(visit, { status: 'waiting', attempts: 1, wakeAt });
      const output = { woke_at: this.run.claimed_at };
      return this.#settle(walking, visit, { status: 'succeeded', attempts: 1, output }, output);
    }
    try {
      if (step.when && !step.when(scope)) return this.#settle(walking, visit, { status: 'skipped' }, null);
      const input = step.with(scope);
      return await this.#wait(visit, { status: 'waiting', attempts: 1, input, ...timerOf(input) });
    } catch (error) {
      if (isPassing(error) || error instanceof StepFailure) throw error;
      return this.#fail(walking, visit, error);
    }
  }

  async #takeNetwork(walking: Walk, visit: Visit): Promise<Visited | Ending> {
    const { step, scope, known } = visit;
    // An attempt that was cut off is made again under its own number.
    const attempts = (known?.attempts ?? 0) + (known?.status === 'running' ? 0 : 1);
    const startedAt = new Date();
    try {
      if (step.when && !step.when(scope)) return this.#settle(walking, visit, { status: 'skipped' }, null);
      const input = step.with(scope);
      await this.#write(visit, { status: 'running', attempts, input });
      const output = await this.#call(visit, input);
      this.#context.onStep(step.use, 'succeeded', (Date.now() - startedAt.getTime()) / 1_000);
      return await this.#settleNow(this.#settle(walking, visit, { status: 'succeeded', attempts, output }, output));
    } catch (error) {
      if (isPassing(error) || error instanceof StepFailure) throw error;
      const explained = explainStepError(error);
      const failures = [...(known?.failures ?? []), failureOf(attempts, startedAt, explained.error)];
      if (!explained.isRetryable || attempts >= step.retry.maxAttempts)
        return this.#settleNow(this.#fail(walking, visit, error, { attempts, failures }));
      const wakeInMs = retryDelayMs(step.retry, attempts, explained.retryAfterMs);
      this.#context.onStep(step.use, 'waiting', (Date.now() - startedAt.getTime()) / 1_000);
      return this.#wait(visit, { status: 'waiting', attempts, failures, error: explained.error, wakeInMs });
    }
  }

  async #call({ step, path }: Visit, input: Record<string, unknown>): Promise<unknown> {
    const signal = this.#signal;
    const idempotencyKey = `${this.run.id}:${path}`;
    try {
      const call = { input, idempotencyKey, timeoutMs: step.timeoutMs, signal };
      const output = await networkSteps[step.use]!(this.#context.reach, call);
      if (isOutputTooLarge(output, false)) throw outputTooLarge();
      return output;
    } catch (error) {
      if (signal.aborted) throw new Interrupted();
      throw error;
    }
  }

  #settle(
    walking: Walk,
    visit: Visit,
    entry: Omit<EntryOf, 'attempts'> & { attempts?: number },
    output: unknown,
  ): Visited {
    this.#journal.add(visit, { attempts: 0, ...entry });
    return walking.next(output);
  }

  /** What was called is written down before anything else is tried, or it might be called again. */
  async #settleNow(visited: Visited): Promise<Visited> {
    if (visited.done) return visited;
    await this.#journal.write(this.#context.database, { status: 'running', leaseMs: this.#context.leaseMs });
    this.#committed();
    return visited;
  }

  /** A step failed for good: the run goes on where its definition says so, else it ends. */
  #fail(walking: Walk, visit: Visit, thrown: unknown, tried: Partial<EntryOf> = {}): Visited {
    const { step, path } = visit;
    const { error, isFault } = thrown instanceof StepFailure ? inner(thrown) : explainStepError(thrown);
    if (isFault)
      this.#context.log.error({ err: thrown, run_id: this.run.id, step: path }, 'a step failed of our fault');
    this.#context.onStep(step.use, 'failed', 0);
    const isPassedOver = step.onError === 'continue';
    const entry = { attempts: 1, ...tried, status: 'failed' as const };
    this.#journal.add(visit, { ...entry, error: isPassedOver ? { ...error, passed_over: true } : error });
    return isPassedOver ? walking.next(null) : walking.throw(new StepFailure({ step: path, ...error }));
  }

  async #write(visit: Visit, entry: EntryOf): Promise<void> {
    this.#journal.add(visit, entry);
    await this.#journal.write(this.#context.database, { status: 'running', leaseMs: this.#context.leaseMs });
    this.#committed();
  }

  async #wait(visit: Visit, entry: EntryOf): Promise<Ending> {
    this.#journal.add(visit, entry);
    const wakeAt = await this.#journal.write(this.#context.database, { status: 'waiting' });
    this.#committed();
    return { kind: 'waiting', wakeAt: wakeAt! };
  }

  async #end(outcome: Extract<RunOutcome, { status: 'succeeded' | 'failed' }>): Promise<Ending> {
    await this.#journal.write(this.#context.database, outcome);
    this.#committed();
    return { kind: 'ended', status: outcome.status };
  }

  #committed(): void {
    this.#journal.committed();
    if (!this.#isFirstCommit) return;
    this.#isFirstCommit = false;
    this.#context.onFirstCommit();
  }
}

/** The worker stops, or has lost the run. */
class Interrupted extends Error {}

/** One of several steps in a transaction failed; which one shows when they are done one by one. */
class GroupFailure extends Error {}

/** Not the step's fault, and no end of it. */
function isPassing(error: unknown): boolean {
  return (
    error instanceof Interrupted ||
    error instanceof LeaseLostError ||
    error instanceof StaleJournalError ||
    isUnavailable(error)
  );
}

function isGroupable({ kind, step }: Visit): boolean {
  return kind !== 'step' || step.run === 'record';
}

function failureOf(attempt: number, startedAt: Date, error: StepError) {
  return { attempt, started_at: startedAt.toISOString(), finished_at: new Date().toISOString(), error };
}

/** A loop fails of what failed inside of it. */
function inner({ error }: StepFailure): ExplainedError {
  return { error, isRetryable: false, isFault: false };
}
