import { setImmediate } from 'node:timers/promises';
import type { EventNotifier } from '@relata/events';
import { type Messaging, runsReady } from '@relata/messaging';
import { jittered, Loop, type Round, Slots } from '@relata/runtime';
import {
  type ClaimedRun,
  countOpenRuns,
  listDueRuns,
  listLimitedWorkflows,
  readRunAges,
  releaseRuns,
  renewLeases,
  type StepError,
} from '@relata/workflows/execution';
import { createExecutionContext, type ExecutionContext, type ExecutionOptions } from '../run/execution-context.ts';
import { executeRun } from '../run/run-execution.ts';
import { runLogIds } from '../run/run-trace.ts';
import type { Ending } from '../run/ending.ts';
import { Backlog, toHint, type RunHint } from './backlog.ts';
import { type Claimed, Claimer } from './claimer.ts';
import { HeldRuns } from './held-runs.ts';
import { Quarantine } from './quarantine.ts';
import type { RunSlot, RunSlots } from './run-slot.ts';
import { Schedule } from './schedule.ts';

export interface WorkerOptions extends ExecutionOptions {
  messaging: Messaging;
  /** Notified of each organization for which a run has committed, so that readers of events are woken. */
  eventNotifier: Pick<EventNotifier, 'written'>;
  /** Name of the worker, shown to operators with its runs. */
  name: string;
  /** Time in ms for which runs may continue when the worker stops. */
  stopGraceMs: number;
}

/** Runs per unit of concurrency: several, since a shared transaction costs little more for many runs than for one. */
const runsPerSlot = 4;
const callsPerSlot = 16;
const sweepEveryMs = 1_000;
const messageWaitMs = 5_000;
/**
 * Number of messages that are requested at the same time. With fewer, an organization could send hints faster than the
 * worker receives them.
 */
const receiversCount = 4;
/**
 * Time, in milliseconds, for which the sweeps of other workers ignore a released run. Within this time the run gets its
 * turn in the quarantine, unless this worker dies.
 */
const givenBackMs = 5_000;

const now = () => performance.now();

/**
 * Claims runs, as the schedule decides, and executes them until they end, wait or are interrupted. NATS messages only speed this
 * up: due runs, and runs that no worker was notified of, are found in the database.
 */
export class Worker implements AsyncDisposable {
  readonly #options: WorkerOptions;
  readonly #context: ExecutionContext;
  readonly #slots: RunSlots;
  readonly #backlog = new Backlog();
  readonly #quarantine = new Quarantine();
  readonly #held = new HeldRuns();
  readonly #schedule: Schedule;
  readonly #claimer: Claimer;
  readonly #receiving: Loop[];
  readonly #claiming = this.#loop('claiming runs', (signal) => this.#claim(signal));
  readonly #sweeping = this.#loop('the sweep for runs', (signal) => this.#sweep(signal));
  readonly #listing = this.#loop('listing workflows with a limit', () => this.#listLimited());
  readonly #due = this.#loop('listing due runs', () => this.#listDue());
  readonly #renewing = this.#loop('lease renewal', () => this.#renew());

  constructor(options: WorkerOptions) {
    const { concurrency, metrics, database, messaging } = options;
    this.#options = options;
    this.#context = createExecutionContext(options, (run, isFirst) => this.#committed(run, isFirst));
    this.#slots = { runs: new Slots(concurrency * runsPerSlot), calls: new Slots(concurrency * callsPerSlot) };
    this.#schedule = new Schedule(this.#slots, this.#backlog, this.#quarantine);
    this.#claimer = new Claimer(options);
    this.#receiving = Array.from({ length: receiversCount }, () =>
      this.#loop(
        'receiving from the queue of runs',
        (signal) => this.#receive(signal),
        () => messaging.isConnected,
      ),
    );
    this.#slots.runs.wakes([this.#claiming, this.#sweeping, ...this.#receiving]);
    metrics.watch(() => ({ active: this.#held.count, places: this.#slots }), {
      open: () => countOpenRuns(database),
      ages: () => readRunAges(database),
      queue: () => messaging.queueState(runsReady),
      storage: () => messaging.storage(),
    });
  }

  start(): void {
    for (const loop of [...this.#receiving, this.#claiming, this.#sweeping, this.#listing, this.#due]) loop.start();
    this.#renewing.start(this.#renewMs());
  }

  /**
   * Stops claiming, lets held runs continue for a while, and releases those that have not ended. Hints that were not
   * claimed are dropped: other workers find their runs in the database. Before that, the worker goes on for
   * `STOP_DRAIN_MS`, because `start.ts` closes the HTTP server first.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#held.abortIn(this.#options.stopGraceMs);
    const claiming = [...this.#receiving, this.#claiming, this.#sweeping, this.#listing, this.#due];
    await Promise.all(claiming.map((loop) => loop[Symbol.asyncDispose]()));
    await this.#held.ended();
    await this.#renewing[Symbol.asyncDispose]();
  }

  /** Creates a loop whose failures are logged if `isUnexpected` returns true. */
  #loop(what: string, round: Round, isUnexpected: () => boolean = () => true): Loop {
    return new Loop(round, (error) => {
      if (isUnexpected()) this.#options.log.warn({ err: error }, `${what} failed`);
    });
  }

  /** Receives a message if a slot is free. A worker without a free slot leaves messages to other workers. */
  async #receive(signal: AbortSignal): Promise<number> {
    if (this.#slots.runs.free === 0) return Infinity;
    const message = await this.#options.messaging.next(runsReady, messageWaitMs, signal);
    if (message) this.#hint(message.runs);
    return 0;
  }

  #hint(runs: readonly RunHint[]): void {
    this.#backlog.add(runs);
    this.#claiming.wake();
  }

  async #claim(signal: AbortSignal): Promise<number> {
    // The runs of a shared transaction free their slots within one turn of the event loop. After that turn, one claim
    // can fill all of them.
    await setImmediate();
    const { claims, waitMs } = this.#schedule.next(now());
    if (claims.length === 0) return waitMs;
    const made = await this.#claimer.claim(claims, signal);
    if (this.#schedule.claimed(made)) this.#listing.wake();
    await this.#begin(made.flatMap(({ runs }) => runs));
    return 0;
  }

  async #sweep(signal: AbortSignal): Promise<number> {
    const waitMs = this.#schedule.sweepWaitMs(now());
    if (waitMs > 0) return waitMs;
    const room = this.#schedule.sweepRoom(this.#held.organizations());
    const { runs, full, isFull } = await this.#claimer.sweep(room, this.#slots, signal);
    this.#schedule.swept(isFull, now() + jittered(sweepEveryMs));
    this.#backlog.addOrganizations(full);
    this.#listing.wake();
    this.#claiming.wake();
    await this.#begin(runs);
    return 0;
  }

  async #listLimited(): Promise<number> {
    this.#backlog.addWorkflows(await listLimitedWorkflows(this.#options.database));
    this.#claiming.wake();
    return Infinity;
  }

  /**
   * Finds started runs that are due to continue. Without this, new runs of an organization might take every slot as
   * soon as it becomes free.
   */
  async #listDue(): Promise<number> {
    if (this.#schedule.isAnyFull(this.#held.organizations())) {
      const due = await listDueRuns(this.#options.database);
      this.#backlog.addDue(due.map(({ org_id, id, workflow_id }) => [org_id, id, workflow_id ?? undefined]));
      this.#claiming.wake();
    }
    return jittered(sweepEveryMs);
  }

  async #begin(claimed: readonly Claimed[]): Promise<void> {
    const refused: ClaimedRun[] = [];
    for (const { run, slot } of claimed) {
      if (this.#quarantine.admit(run, now())) {
        void this.#execute(run, slot);
        continue;
      }
      refused.push(run);
      slot.free();
    }
    if (refused.length === 0) return;
    await releaseRuns(this.#options.database, refused, givenBackMs);
    for (const run of refused) this.#quarantine.add(run);
    this.#claiming.wake();
  }

  async #execute(run: ClaimedRun, slot: RunSlot): Promise<void> {
    const signal = this.#held.add(run);
    try {
      await this.#afterRun(run, await executeRun(this.#context, run, slot, signal));
    } catch (error) {
      // The lease expires, and another worker claims the run.
      this.#options.log.error({ err: error, ...runLogIds(run) }, 'run abandoned');
    } finally {
      this.#held.delete(run);
      slot.free();
      this.#quarantine.end(run.id);
      if (run.is_limited) this.#backlog.addWorkflows([run]);
      this.#claiming.wake();
    }
  }

  async #afterRun(run: ClaimedRun, ending: Ending): Promise<void> {
    this.#options.metrics.ended(ending, run);
    if (ending.kind === 'ended' && ending.status === 'failed') await this.#logFailure(run, ending.error);
    if (ending.kind === 'interrupted') await releaseRuns(this.#options.database, [run]);
    if (ending.kind !== 'waiting') return;
    const inMs = Date.parse(ending.wakeAt) - Date.now();
    // The sweep alone might find the run only a second after its wait has ended.
    if (inMs <= sweepEveryMs * 2) setTimeout(() => this.#hint([toHint(run)]), Math.max(0, inMs)).unref();
  }

  /** Logs a run that failed for good. The error's message may hold data of the organization, so it is left out. */
  async #logFailure(run: ClaimedRun, { step, code }: StepError): Promise<void> {
    const { org_id, workflow_id } = run;
    // The workflow is cached, unless its definition can no longer be read.
    const workflow = (await this.#context.workflowOf(run).catch(() => undefined))?.name;
    this.#options.log.warn({ org_id, ...runLogIds(run), workflow_id, workflow, step, code }, 'run failed');
  }

  /** Handles a commit of a run, which is the only sign of progress before the run ends. */
  #committed(run: ClaimedRun, isFirst: boolean): void {
    const { metrics, eventNotifier } = this.#options;
    if (isFirst) metrics.firstCommit((Date.now() - Date.parse(run.created_at)) / 1_000);
    if (this.#quarantine.progress(run.id, now())) this.#claiming.wake();
    eventNotifier.written(run.org_id);
  }

  async #renew(): Promise<number> {
    const { database, leaseMs, metrics } = this.#options;
    const { runs } = this.#held;
    if (runs.length > 0) {
      const kept = await renewLeases(database, runs, leaseMs);
      metrics.lost(this.#held.abortAllBut(kept, runs));
    }
    return this.#renewMs();
  }

  #renewMs(): number {
    return jittered(this.#options.leaseMs / 3);
  }
}
