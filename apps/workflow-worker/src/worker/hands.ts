import { isUnavailable } from '@relata/db';
import {
  type ClaimedRun,
  DefinitionError,
  type HeldRun,
  LeaseLostError,
  releaseRuns,
  renewLeases,
  type StepError,
  writeJournal,
} from '@relata/workflows';
import type { Ending, ExecutionContext } from '../run/execution.ts';
import { RunExecution } from '../run/run-execution.ts';
import { jittered, pause } from './pause.ts';
import type { WorkerMetrics } from './worker.metrics.ts';
import { WorkflowCache } from './workflow-cache.ts';

/** A run that was claimed so often without coming any further most likely kills whoever has it. */
const stallsMax = 10;

const troubleMs = 100;
const troubleMostMs = 2_000;

export interface HandsOptions extends Omit<ExecutionContext, 'onStep' | 'onFirstCommit'> {
  metrics: WorkerMetrics;
  onDone(run: ClaimedRun): void;
  /** A run that was ours goes on by itself after so long. */
  onWaiting(run: ClaimedRun, inMs: number): void;
}

interface Held {
  run: ClaimedRun;
  interruption: AbortController;
  done: Promise<void>;
}

/** The runs that a worker has at this moment, and their leases. */
export class Hands {
  readonly #options: HandsOptions;
  readonly #workflows: WorkflowCache;
  readonly #held = new Set<Held>();

  constructor(options: HandsOptions) {
    this.#options = options;
    this.#workflows = new WorkflowCache(options.database);
  }

  get count(): number {
    return this.#held.size;
  }

  /** Begins to execute a run that was just claimed. */
  take(run: ClaimedRun): void {
    const interruption = new AbortController();
    const held: Held = { run, interruption, done: Promise.resolve() };
    this.#held.add(held);
    held.done = this.#bring(run, interruption.signal).finally(() => {
      this.#held.delete(held);
      this.#options.onDone(run);
    });
  }

  /** Lengthens the leases of all that is held, until the signal is aborted and nothing is held any more. */
  async keepLeases(stopping: AbortSignal): Promise<void> {
    const { leaseMs, database, log, metrics } = this.#options;
    while (!stopping.aborted) {
      await pause(jittered(leaseMs / 3), stopping);
      const all = [...this.#held];
      if (all.length === 0) continue;
      try {
        const kept = await renewLeases(
          database,
          all.map(({ run }) => heldOf(run)),
          leaseMs,
        );
        const lost = all.filter((held) => !kept.has(held.run.id) && this.#held.has(held));
        for (const { interruption } of lost) interruption.abort();
        metrics.lost(lost.length);
      } catch (error) {
        log.warn({ err: error }, 'could not lengthen leases');
      }
    }
  }

  /** Waits for what is held, interrupts what takes longer, and returns when nothing is held. */
  async empty(graceMs: number): Promise<void> {
    const patience = AbortSignal.timeout(graceMs);
    patience.addEventListener('abort', () => {
      for (const { interruption } of this.#held) interruption.abort();
    });
    while (this.#held.size > 0) await Promise.all([...this.#held].map(({ done }) => done));
  }

  async #bring(run: ClaimedRun, signal: AbortSignal): Promise<void> {
    const { database, metrics, onWaiting, log } = this.#options;
    try {
      const ending = await this.#executeWithPatience(run, signal);
      metrics.ended(ending);
      if (ending.kind === 'waiting') onWaiting(run, Date.parse(ending.wakeAt) - Date.now());
      if (ending.kind === 'interrupted') await releaseRuns(database, [heldOf(run)]);
    } catch (error) {
      // The lease runs out, and somebody else takes it.
      log.error({ err: error, run_id: run.id }, 'a run was left where it stood');
    }
  }

  /** The database may be away for a while: what was not committed is done again once it is back. */
  async #executeWithPatience(run: ClaimedRun, signal: AbortSignal): Promise<Ending> {
    let execution: RunExecution | undefined;
    for (let waitMs = troubleMs; ; waitMs = Math.min(waitMs * 2, troubleMostMs)) {
      try {
        if (run.stalls >= stallsMax) return await this.#fail(run, stalled(run));
        execution ??= new RunExecution(
          run,
          await this.#workflows.get(run),
          { ...this.#options, ...this.#watch(run) },
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
    this.#options.log.error({ err: error, run_id: run.id }, 'a run failed of our fault');
    return { code: 'internal_error', message: 'Something went wrong on our side.' };
  }

  async #fail(run: ClaimedRun, error: StepError): Promise<Ending> {
    try {
      await writeJournal(this.#options.database, heldOf(run), [], { status: 'failed', error });
      return { kind: 'ended', status: 'failed' };
    } catch (thrown) {
      if (thrown instanceof LeaseLostError) return { kind: 'lost' };
      throw thrown;
    }
  }

  #watch(run: ClaimedRun): Pick<ExecutionContext, 'onStep' | 'onFirstCommit'> {
    const { metrics } = this.#options;
    return {
      onStep: metrics.stepDone,
      onFirstCommit: () => metrics.firstCommit((Date.now() - Date.parse(run.created_at)) / 1_000),
    };
  }
}

function stalled({ stalls }: ClaimedRun): StepError {
  return { code: 'worker_lost', message: `${stalls} workers in a row had the run and were not heard of again.` };
}

function heldOf({ org_id: orgId, id, epoch }: ClaimedRun): HeldRun {
  return { orgId, id, epoch };
}
