import { inSlots, isContended, isUnavailable, RolledBackError } from '@relata/db';
import { backoff, pause } from '@relata/runtime';
import { tracing } from '@relata/telemetry';
import { DefinitionError } from '@relata/workflows';
import {
  type ClaimedRun,
  LeaseLostError,
  StaleJournalError,
  type StepError,
  writeJournal,
} from '@relata/workflows/execution';
import type { RunSlot } from '../worker/run-slot.ts';
import type { Ending } from './ending.ts';
import type { Execution, ExecutionContext } from './execution-context.ts';
import { Interrupted } from './interruption.ts';
import { executeLoop } from './passes/loop-pass.ts';
import { executeCall } from './passes/network-pass.ts';
import { Pass } from './passes/pass.ts';
import { executeRecords } from './passes/record-pass.ts';
import { RunJournal } from './run-journal.ts';
import { RunMemory } from './run-memory.ts';
import { runLogIds, traceExecution } from './run-trace.ts';
import { loadRunValues, type RunValues } from './run-values.ts';
import { executeTimer } from './passes/timer-pass.ts';
import { explainStepError, RunTooLargeError } from '../steps/step.error.ts';
import { StepFailure, type Visit, type Visited } from './visit.ts';
import { type Walk, walk } from './walk.ts';

/** Number of claims without progress after which a run fails, because it most likely kills its worker. */
const stallsMax = 10;

const unavailablePauseMs = 100;
const unavailablePauseMsMax = 2_000;

const contendedMs = 10;
const contendedMsMax = 500;

/** Executes a claimed run until it ends or waits, or another worker claims it. Aborting the signal interrupts it. */
export function executeRun(
  context: ExecutionContext,
  run: ClaimedRun,
  slot: RunSlot,
  signal: AbortSignal,
): Promise<Ending> {
  const execute = () => executeUntilEnding(context, run, slot, signal);
  return tracing ? traceExecution(tracing, run, execute) : execute();
}

/** Like `executeRun`, without a trace. After an outage of the database, it repeats uncommitted work. */
async function executeUntilEnding(
  context: ExecutionContext,
  run: ClaimedRun,
  slot: RunSlot,
  signal: AbortSignal,
): Promise<Ending> {
  const { memoryShares, memoryBytes, postponed, workflowOf } = context;
  const db = inSlots(context.database.of(run.org_id), context.ownTransactions, run.org_id);
  using memory = new RunMemory(memoryShares, memoryBytes, run, postponed);
  let execution: RunExecution | undefined;
  const pauses = backoff(unavailablePauseMs, unavailablePauseMsMax);
  for (;;) {
    try {
      if (run.stalls >= stallsMax) return await fail(context, run, stalled(run));
      execution ??= new RunExecution({
        ...context,
        db,
        slot,
        memory,
        run,
        workflow: await workflowOf(run),
        journal: new RunJournal(run),
        trace: tracing?.active(),
        signal,
      });
      return await execution.execute();
    } catch (error) {
      if (!isUnavailable(error)) return fail(context, run, explain(context, run, error));
      if (signal.aborted) return { kind: 'interrupted' };
      await pause(pauses.next().value, signal);
    }
  }
}

async function fail({ database }: ExecutionContext, run: ClaimedRun, error: StepError): Promise<Ending> {
  try {
    await database.transaction((db) => writeJournal(db, run, [], { status: 'failed', error }));
    return { kind: 'ended', status: 'failed', error };
  } catch (thrown) {
    if (thrown instanceof LeaseLostError) return { kind: 'lost' };
    throw thrown;
  }
}

function stalled({ stalls }: ClaimedRun): StepError {
  return { code: 'worker_lost', message: `${stalls} workers in a row claimed the run and stopped responding.` };
}

function explain({ log }: ExecutionContext, run: ClaimedRun, error: unknown): StepError {
  if (error instanceof DefinitionError)
    return { code: 'invalid_definition', message: `Version ${run.version} can no longer be read: ${error.message}` };
  log.error({ err: error, ...runLogIds(run) }, 'run failed with an internal error');
  return { code: 'internal_error', message: 'Something went wrong on our side.' };
}

/** The execution of a run by one worker, from the claim until the run ends or waits, or another worker claims it. */
class RunExecution {
  readonly #execution: Execution;
  #values: RunValues | undefined;
  #isJournalKnown: boolean;
  /**
   * True after a rollback that also dropped entries of earlier steps. Such entries are then written before the next
   * record step, so that another rollback cannot drop them.
   */
  #writesFirst = false;
  readonly #contentionPauses = backoff(contendedMs, contendedMsMax);

  constructor(execution: Execution) {
    this.#execution = execution;
    this.#isJournalKnown = execution.run.is_first;
  }

  /**
   * Executes the run until it ends, waits or is lost. If it throws because the database is unavailable, it can be
   * called again. A commit may have succeeded although its confirmation was lost, so the journal is loaded again.
   */
  async execute(): Promise<Ending> {
    for (;;) {
      try {
        await this.#takeTurn();
        return await this.#executePass();
      } catch (error) {
        if (error instanceof LeaseLostError) return { kind: 'lost' };
        if (error instanceof Interrupted) return { kind: 'interrupted' };
        this.#isJournalKnown = false;
        this.#writesFirst ||= error instanceof RolledBackError;
        // The transaction was rolled back because of a conflict with another transaction.
        if (isContended(error)) await pause(this.#contentionPauses.next().value, this.#execution.signal);
        else if (!(error instanceof StaleJournalError || error instanceof RolledBackError)) throw error;
      }
    }
  }

  async #executePass(): Promise<Ending> {
    const { memory } = this.#execution;
    const pass = new Pass(this.#execution, () => this.#walkAgain(), this.#writesFirst);
    try {
      if (!(await this.#load())) return await pass.postpone();
      let visited = pass.begin(this.#walk());
      while (!visited.done) {
        if (!memory.fits()) return await pass.postpone();
        await this.#takeTurn();
        const next = await this.#visit(pass, visited.value);
        if ('kind' in next) return next;
        visited = next;
      }
      return await pass.end({ status: 'succeeded' });
    } catch (error) {
      if (!(error instanceof StepFailure)) throw error;
      return pass.end({ status: 'failed', error: error.error });
    }
  }

  #walk(): Walk {
    const { workflow, journal } = this.#execution;
    return walk(workflow.steps, { context: this.#values!.newContext(), journal: journal.written });
  }

  /**
   * Loads the values of the run and returns a new walk. Throws RolledBackError if there is no memory for the run; the
   * next pass then postpones it.
   */
  async #walkAgain(): Promise<Walk> {
    // Outputs are dropped once they are committed. A journal with entries must therefore be loaded again.
    this.#isJournalKnown &&= this.#execution.journal.written.size === 0;
    if (!(await this.#load())) throw new RolledBackError();
    return this.#walk();
  }

  /**
   * Loads the values that the run carries. Returns false if there is no memory for them. Throws StepFailure if the run
   * can never continue.
   */
  async #load(): Promise<boolean> {
    const { db, run, workflow, journal, memory, largeResponses, signal } = this.#execution;
    journal.rollBack();
    using slot = new DisposableStack();
    const takeSlot = async () => void slot.use(await largeResponses.hold([run.org_id], { signal, restTimes: 1 }));
    try {
      if (!(await this.#loadValues())) return false;
      if (!this.#isJournalKnown && !(await journal.load(db, workflow.steps, memory, takeSlot))) return false;
    } catch (error) {
      if (error instanceof StepFailure) throw error;
      if (error instanceof RunTooLargeError) throw this.#failAtStart(error);
      throw signal.aborted ? new Interrupted() : error;
    }
    this.#isJournalKnown = true;
    return true;
  }

  #failAtStart(error: RunTooLargeError): StepFailure {
    return new StepFailure({ step: this.#execution.workflow.steps[0]!.id, ...explainStepError(error).error });
  }

  /** Loads the values that the run was started with. Returns false if there is no room in memory for them. */
  async #loadValues(): Promise<boolean> {
    if (this.#values) return this.#execution.memory.reserve(this.#values.bytes);
    this.#values = await loadRunValues(this.#execution);
    return this.#values !== undefined;
  }

  /**
   * Waits for a slot if the run has none, such as after a call, and for the turn of the organization. Many runs may
   * become ready for their next visit at once, for example all runs of a claim or of a transaction.
   */
  async #takeTurn(): Promise<void> {
    const { slot, signal, turns, run } = this.#execution;
    try {
      signal.throwIfAborted();
      await slot.resume(signal);
    } catch {
      throw new Interrupted();
    }
    const turn = turns.take([run.org_id]);
    if (turn) await turn;
  }

  /** Executes a visit. Returns the next visit of the walk, or the end of the execution. */
  async #visit(pass: Pass, visit: Visit): Promise<Visited | Ending> {
    const { step } = visit;
    switch (step.executor) {
      case 'record':
        return executeRecords(pass, visit);
      case 'network':
        return executeCall(pass, { ...visit, step });
      case 'timer':
        return executeTimer(pass, { ...visit, step });
      case 'loop':
        return executeLoop(pass, { ...visit, step });
    }
  }
}
