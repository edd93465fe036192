import { type Database, inSlots, isUnavailable } from '@relata/db';
import { Shares, Slots, Turns } from '@relata/runtime';
import { tracing } from '@relata/telemetry';
import { DefinitionError } from '@relata/workflows';
import {
  type ClaimedRun,
  type HeldRun,
  LeaseLostError,
  type StepError,
  writeJournal,
} from '@relata/workflows/execution';
import type { Ending, ExecutionContext } from '../run/execution.ts';
import { CallPace } from '../run/call-pace.ts';
import { Cohorts } from '../run/cohorts/cohorts.ts';
import { JournalWrites } from '../run/cohorts/journal-writes.ts';
import { LockedKeys } from '../run/cohorts/locked-keys.ts';
import { RunExecution } from '../run/run-execution.ts';
import { PutOffRuns } from '../run/put-off-runs.ts';
import { RunMemory } from '../run/run-memory.ts';
import { traceExecution } from '../run/run-trace.ts';
import { jittered, pause } from './pause.ts';
import type { Place } from './place.ts';
import type { WorkerMetrics } from './worker.metrics.ts';
import { WorkflowCache } from './workflow-cache.ts';

/** A quarter of the heap that Node gives itself in 512 MB. */
const memoryBytesDefault = 64 * 1024 * 1024;

/** Each holds the event loop and the database for some milliseconds; one organization has one at a time. */
const largeAnswersMax = 3;

/** One organization then has one, and another has its own beside it. */
const aloneMin = 3;

/** A run that was claimed so often without coming any further most likely kills the worker that has it. */
const stallsMax = 10;

const troubleMs = 100;
const troubleMostMs = 2_000;

type OwnContext = 'database' | 'place' | 'memory' | 'onStep' | 'onCommit' | keyof Shared;
type Shared = Pick<
  ExecutionContext,
  'cohorts' | 'journalWrites' | 'lockedKeys' | 'largeAnswers' | 'turns' | 'callPace'
> & {
  /** What is read outside of cohorts, and transactions of one run. */
  alone: Slots;
};

export interface RunExecutorOptions extends Omit<ExecutionContext, OwnContext> {
  database: Database;
  /** A quarter of them may do something outside of a cohort at once, of one organization at most half of that. */
  concurrency: number;
  /** What all runs together may carry from step to step, in bytes. */
  memoryBytes?: number;
  metrics: WorkerMetrics;
  /** A run has come further. */
  onProgress(run: ClaimedRun): void;
  /** Something was written for an organization, with events of it. */
  onWritten(orgId: string): void;
}

/** Executes runs with what they share in a worker. */
export class RunExecutor {
  readonly #options: RunExecutorOptions;
  readonly #workflows: WorkflowCache;
  /** What all runs of a worker share. */
  readonly #shared: Shared;
  readonly #memoryBytes: number;
  readonly #memory: Shares;
  readonly #putOff = new PutOffRuns();

  constructor(options: RunExecutorOptions) {
    const { database, concurrency, memoryBytes = memoryBytesDefault, metrics } = options;
    this.#options = options;
    const alone = new Slots(Math.max(aloneMin, Math.ceil(concurrency / 4)));
    const cohorts = new Cohorts({ database, alone, onCohort: metrics.cohort });
    const journalWrites = new JournalWrites(database);
    const largeAnswers = new Slots(largeAnswersMax);
    const lockedKeys = new LockedKeys();
    const turns = new Turns();
    const callPace = new CallPace(turns);
    this.#shared = { cohorts, journalWrites, alone, lockedKeys, largeAnswers, turns, callPace };
    this.#workflows = new WorkflowCache(database);
    this.#memoryBytes = memoryBytes;
    this.#memory = new Shares(memoryBytes);
  }

  execute(run: ClaimedRun, place: Place, signal: AbortSignal): Promise<Ending> {
    const execute = () => this.#execute(run, place, signal);
    return tracing ? traceExecution(tracing, run, execute) : execute();
  }

  /** The database may be away for a while: what was not committed is done again once it is back. */
  async #execute(run: ClaimedRun, place: Place, signal: AbortSignal): Promise<Ending> {
    const { database } = this.#options;
    let execution: RunExecution | undefined;
    using memory = new RunMemory(this.#memory, this.#memoryBytes, run, this.#putOff);
    for (let waitMs = troubleMs; ; waitMs = Math.min(waitMs * 2, troubleMostMs)) {
      try {
        if (run.stalls >= stallsMax) return await this.#fail(run, stalled(run));
        const context = { ...this.#options, ...this.#watch(run), ...this.#shared, place, memory };
        execution ??= new RunExecution(
          run,
          await this.#workflows.get(run),
          { ...context, database: inSlots(database.of(run.org_id), this.#shared.alone, run.org_id) },
          signal,
        );
        return await execution.execute();
      } catch (error) {
        if (!isUnavailable(error)) return this.#fail(run, this.#explain(run, error));
        if (signal.aborted) return { kind: 'interrupted' };
        await pause(jittered(waitMs), signal);
      }
    }
  }

  #explain(run: ClaimedRun, error: unknown): StepError {
    if (error instanceof DefinitionError)
      return {
        code: 'invalid_definition',
        message: `Version ${run.version} cannot be read any more: ${error.message}`,
      };
    this.#options.log.error({ err: error, run_id: run.id }, 'run failed with an internal error');
    return { code: 'internal_error', message: 'Something went wrong on our side.' };
  }

  async #fail(run: ClaimedRun, error: StepError): Promise<Ending> {
    try {
      await this.#options.database.transaction((db) => writeJournal(db, heldOf(run), [], { status: 'failed', error }));
      return { kind: 'ended', status: 'failed' };
    } catch (thrown) {
      if (thrown instanceof LeaseLostError) return { kind: 'lost' };
      throw thrown;
    }
  }

  #watch(run: ClaimedRun): Pick<ExecutionContext, 'onStep' | 'onCommit'> {
    const { metrics, onProgress, onWritten } = this.#options;
    return {
      onStep: metrics.stepDone,
      onCommit: (isFirst) => {
        if (isFirst) metrics.firstCommit((Date.now() - Date.parse(run.created_at)) / 1_000);
        onProgress(run);
        onWritten(run.org_id);
      },
    };
  }
}

function stalled({ stalls }: ClaimedRun): StepError {
  return { code: 'worker_lost', message: `${stalls} workers in a row claimed the run and stopped responding.` };
}

export function heldOf({ org_id: orgId, id, epoch }: ClaimedRun): HeldRun {
  return { orgId, id, epoch };
}
