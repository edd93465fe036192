import type { Database } from '@relata/db';
import { type ClaimedRun, type HeldRun, releaseRuns, renewLeases } from '@relata/workflows/execution';
import { jittered, pause } from './pause.ts';
import type { Place } from './place.ts';
import { heldOf, RunExecutor, type RunExecutorOptions } from './run-executor.ts';

/** By then their turn has come, or this worker is gone. */
const givenBackMs = 5_000;

export interface ActiveRunsOptions extends RunExecutorOptions {
  database: Database;
  onDone(run: ClaimedRun): void;
  /** A run of this worker is due again after so long. */
  onWaiting(run: ClaimedRun, inMs: number): void;
}

interface Active {
  run: ClaimedRun;
  place: Place;
  interruption: AbortController;
  done: Promise<void>;
}

/** The runs that a worker executes, and their leases: also runs that wait for an answer or for a place. */
export class ActiveRuns {
  readonly #options: ActiveRunsOptions;
  readonly #executor: RunExecutor;
  readonly #active = new Set<Active>();
  readonly #givenBack: HeldRun[] = [];
  #released: Promise<unknown> = Promise.resolve();

  constructor(options: ActiveRunsOptions) {
    this.#options = options;
    this.#executor = new RunExecutor(options);
  }

  get count(): number {
    return this.#active.size;
  }

  *organizations(): Iterable<string> {
    for (const { run } of this.#active) yield run.org_id;
  }

  /** Begins to execute a run that was just claimed. */
  start(run: ClaimedRun, place: Place): void {
    const interruption = new AbortController();
    const active: Active = { run, place, interruption, done: Promise.resolve() };
    this.#active.add(active);
    active.done = this.#execute(active).finally(() => {
      this.#active.delete(active);
      place.free();
      this.#options.onDone(run);
    });
  }

  /** Gives back a run that waits for its turn; those of one claim are given back together. */
  giveBack(run: ClaimedRun): void {
    if (this.#givenBack.push(heldOf(run)) > 1) return;
    const giving = Promise.resolve().then(() => this.#release(this.#givenBack.splice(0)));
    this.#released = Promise.all([this.#released, giving]);
  }

  /** Resolves once what was given back so far can be claimed again. */
  get released(): Promise<unknown> {
    return this.#released;
  }

  async #release(runs: readonly HeldRun[]): Promise<void> {
    try {
      await releaseRuns(this.#options.database, runs, givenBackMs);
    } catch (error) {
      // Their leases expire, and another worker claims them.
      this.#options.log.warn({ err: error }, 'release of stalled runs failed');
    }
  }

  /** Renews the leases of all active runs until the signal is aborted. */
  async keepLeases(stopping: AbortSignal): Promise<void> {
    const { leaseMs, database, log, metrics } = this.#options;
    while (!stopping.aborted) {
      await pause(jittered(leaseMs / 3), stopping);
      const all = [...this.#active];
      if (all.length === 0) continue;
      try {
        const kept = await renewLeases(
          database,
          all.map(({ run }) => heldOf(run)),
          leaseMs,
        );
        const lost = all.filter((active) => !kept.has(active.run.id) && this.#active.has(active));
        for (const { interruption } of lost) interruption.abort();
        metrics.lost(lost.length);
      } catch (error) {
        log.warn({ err: error }, 'lease renewal failed');
      }
    }
  }

  /** Waits for the active runs, interrupts those that take longer, and returns when there are none. */
  async empty(graceMs: number): Promise<void> {
    const patience = AbortSignal.timeout(graceMs);
    patience.addEventListener('abort', () => {
      for (const { interruption } of this.#active) interruption.abort();
    });
    while (this.#active.size > 0) await Promise.all([...this.#active].map(({ done }) => done));
  }

  async #execute({ run, place, interruption }: Active): Promise<void> {
    const { database, metrics, onWaiting, log } = this.#options;
    try {
      const ending = await this.#executor.execute(run, place, interruption.signal);
      metrics.ended(ending);
      if (ending.kind === 'waiting') onWaiting(run, Date.parse(ending.wakeAt) - Date.now());
      if (ending.kind === 'interrupted') await releaseRuns(database, [heldOf(run)]);
    } catch (error) {
      // The lease expires, and another worker claims the run.
      log.error({ err: error, run_id: run.id }, 'run abandoned');
    }
  }
}
