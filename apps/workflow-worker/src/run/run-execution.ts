import {
  type ClaimedRun,
  type CompiledWorkflow,
  LeaseLostError,
  type Scope,
  StaleJournalError,
} from '@relata/workflows';
import type { Ending, Execution, ExecutionContext, Visited } from './execution.ts';
import { GroupFailure, Interrupted } from './interruption.ts';
import { takeLoop } from './loop.pass.ts';
import { takeCall } from './network.pass.ts';
import { Pass } from './pass.ts';
import { takeRecords } from './record.pass.ts';
import { RunJournal } from './run-journal.ts';
import { loadScope } from './run-scope.ts';
import { takeTimer } from './timer.pass.ts';
import { StepFailure, type Visit } from './visit.ts';
import { walk } from './walk.ts';

/** Most steps of one transaction: what it locks is freed soon. */
const groupStepsMax = 50;

/** One run in the hands of one worker, from its claim until it ends, waits, or is somebody else's. */
export class RunExecution {
  readonly #at: Execution;
  readonly #workflow: CompiledWorkflow;
  #newScope: (() => Scope) | undefined;
  #isJournalKnown: boolean;
  /** After a group failed its steps are done one by one, to name the one at fault. */
  #groupMax = groupStepsMax;

  /** The signal is aborted when the run is lost, or the worker stops. */
  constructor(run: ClaimedRun, workflow: CompiledWorkflow, context: ExecutionContext, signal: AbortSignal) {
    this.#at = { ...context, run, signal, journal: new RunJournal(run) };
    this.#workflow = workflow;
    this.#isJournalKnown = run.is_first;
  }

  /**
   * Throws only what says that the database is away, and may then be called again. A commit of which nothing was heard
   * may have been one: what is done is read anew.
   */
  async execute(): Promise<Ending> {
    const { database, run, journal } = this.#at;
    this.#newScope ??= await loadScope(database, run, this.#workflow);
    for (;;) {
      try {
        if (!this.#isJournalKnown) await journal.load(database);
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
    const { journal, signal } = this.#at;
    journal.rollBack();
    const pass = new Pass(this.#at, walk(this.#workflow.steps, { scope: this.#newScope!(), journal: journal.written }));
    try {
      let visited = pass.begin();
      while (!visited.done) {
        if (signal.aborted) throw new Interrupted();
        const next = await this.#take(pass, visited.value);
        if ('kind' in next) return next;
        visited = next;
      }
      return await pass.end({ status: 'succeeded' });
    } catch (error) {
      if (!(error instanceof StepFailure)) throw error;
      return pass.end({ status: 'failed', error: error.error });
    }
  }

  /** The walk's next visit; or how the execution ends here. */
  async #take(pass: Pass, visit: Visit): Promise<Visited | Ending> {
    if (visit.kind !== 'step') return takeLoop(pass, visit);
    if (visit.step.run === 'record') return takeRecords(pass, visit, this.#groupMax);
    return visit.step.run === 'timer' ? takeTimer(pass, visit) : takeCall(pass, visit);
  }
}
