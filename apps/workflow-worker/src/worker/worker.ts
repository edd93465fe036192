import { isUnavailable } from '@relata/db';
import { type Messaging, runsReady } from '@relata/messaging';
import {
  type Claimant,
  type ClaimedRun,
  claimLimitedRuns,
  claimOverdueRuns,
  claimRuns,
  countOpenRuns,
  listLimitedWorkflows,
} from '@relata/workflows';
import type { ExecutionContext } from '../run/execution.ts';
import { Hands } from './hands.ts';
import { jittered, pause } from './pause.ts';
import { Room } from './room.ts';
import type { WorkerMetrics } from './worker.metrics.ts';

export interface WorkerOptions extends Omit<ExecutionContext, 'onStep' | 'onFirstCommit'> {
  messaging: Messaging;
  metrics: WorkerMetrics;
  /** Told to operators with the runs that it has. */
  name: string;
  concurrency: number;
  /** How long runs may go on once the worker is to stop. */
  stopGraceMs: number;
}

const sweepEveryMs = 1_000;
const ringWaitMs = 5_000;
const troubleMs = 250;
const troubleMostMs = 5_000;

type RunName = readonly [orgId: string, id: string];

/**
 * Claims runs and brings them to their end. It is told of new ones over NATS; whatever nobody was told of, and whatever
 * is due, it finds in the database.
 */
export class Worker implements AsyncDisposable {
  readonly #options: WorkerOptions;
  readonly #room: Room;
  readonly #hands: Hands;
  readonly #stopping = new AbortController();
  #loops: Promise<unknown> | undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#room = new Room(options.concurrency);
    options.metrics.watch(
      () => this.#hands.count,
      () => countOpenRuns(options.database),
    );
    this.#hands = new Hands({
      ...options,
      onDone: (run) => this.#done(run),
      onWaiting: (run, inMs) => this.#wakeLater(run, inMs),
    });
  }

  start(): void {
    this.#loops ??= Promise.all([this.#hearRings(), this.#sweep(), this.#hands.keepLeases(this.#stopping.signal)]);
  }

  /** Claims nothing more, lets what it has go on for a while, and gives the rest back. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#hands.empty(this.#options.stopGraceMs);
    await this.#loops;
  }

  async #hearRings(): Promise<void> {
    const { messaging, log } = this.#options;
    const { signal } = this.#stopping;
    for (let waitMs = troubleMs; !signal.aborted;) {
      await this.#room.atLeast(1, signal);
      try {
        const rung = await messaging.next(runsReady, ringWaitMs, signal);
        if (rung) await this.#claimNamed(rung.runs);
        waitMs = troubleMs;
      } catch (error) {
        if (messaging.isConnected) log.warn({ err: error }, 'could not take from the queue of runs');
        await pause(jittered(waitMs), signal);
        waitMs = Math.min(waitMs * 2, troubleMostMs);
      }
    }
  }

  /** As many at once as there is room for; the message is gone, so that the rest waits here. */
  async #claimNamed(runs: readonly RunName[]): Promise<void> {
    const { signal } = this.#stopping;
    let claimed = 0;
    for (let left = runs; left.length > 0 && !signal.aborted;) {
      await this.#room.atLeast(1, signal);
      const count = Math.min(left.length, this.#room.free);
      claimed += await this.#claim('ring', count, (claimant) =>
        claimRuns(this.#options.database, left.slice(0, count), claimant),
      );
      left = left.slice(count);
    }
    // Somebody else has them already, or their workflow bounds how many may run.
    if (claimed < runs.length) await this.#claimLimited();
  }

  async #sweep(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const isBehind = await this.#sweepOnce();
      if (isBehind) await this.#room.atLeast(Math.ceil(this.#options.concurrency / 4), signal);
      else await pause(jittered(sweepEveryMs), signal);
    }
  }

  /** Whether there may be more than there was room for. */
  async #sweepOnce(): Promise<boolean> {
    const { database } = this.#options;
    const { free } = this.#room;
    if (free === 0) return false;
    const claimed = await this.#claim('sweep', free, (claimant) => claimOverdueRuns(database, claimant));
    await this.#claimLimited();
    return claimed === free;
  }

  async #claimLimited(): Promise<void> {
    const { database } = this.#options;
    if (this.#room.free === 0) return;
    const workflows = await listLimitedWorkflows(database).catch(() => []);
    for (const workflow of workflows) {
      const { free } = this.#room;
      if (free === 0 || this.#stopping.signal.aborted) return;
      await this.#claim('limited', free, (claimant) =>
        database.transaction((db) => claimLimitedRuns(db, workflow, claimant)),
      );
    }
  }

  /** Takes the room first, so that two claims at once never take more than there is. Returns how many were claimed. */
  async #claim(way: string, limit: number, claim: (claimant: Claimant) => Promise<ClaimedRun[]>): Promise<number> {
    const { name: worker, leaseMs, log, metrics } = this.#options;
    this.#room.take(limit);
    let claimed: ClaimedRun[] = [];
    try {
      claimed = await claim({ worker, leaseMs, limit });
    } catch (error) {
      if (!isUnavailable(error)) log.error({ err: error, way }, 'could not claim runs');
      await pause(jittered(troubleMs), this.#stopping.signal);
    }
    this.#room.giveBack(limit - claimed.length);
    metrics.claimed(way, claimed);
    for (const run of claimed) this.#hands.take(run);
    return claimed.length;
  }

  #done({ is_limited: isLimited }: ClaimedRun): void {
    this.#room.giveBack(1);
    if (isLimited && !this.#stopping.signal.aborted) void this.#claimLimited();
  }

  /** The sweep would be up to a second late. */
  #wakeLater({ org_id: orgId, id }: ClaimedRun, inMs: number): void {
    if (inMs > sweepEveryMs * 2) return;
    setTimeout(
      () => {
        if (!this.#stopping.signal.aborted && this.#room.free > 0) void this.#claimNamed([[orgId, id]]);
      },
      Math.max(0, inMs),
    ).unref();
  }
}
