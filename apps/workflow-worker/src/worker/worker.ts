import { setImmediate } from 'node:timers/promises';
import { type Messaging, runsReady } from '@relata/messaging';
import { Presence, Slots } from '@relata/runtime';
import { type ClaimedRun, countOpenRuns, readRunAges } from '@relata/workflows/execution';
import { ActiveRuns, type ActiveRunsOptions } from './active-runs.ts';
import { Changes } from './changes.ts';
import { Claims } from './claims.ts';
import { Filling } from './filling.ts';
import { jittered, pause } from './pause.ts';
import { Place, type Places } from './place.ts';
import { nameOf, type RunName, RunNames } from './run-names.ts';
import { StalledRuns } from './stalled-runs.ts';
import type { WorkerMetrics } from './worker.metrics.ts';

export interface WorkerOptions extends Omit<ActiveRunsOptions, 'onProgress' | 'onDone' | 'onWaiting'> {
  messaging: Messaging;
  metrics: WorkerMetrics;
  /** Shown to operators with the runs that it has. */
  name: string;
  /**
   * Four times as many runs are worked on, since they do their record steps together, and a quarter does something by itself at once;
   * sixteen times as many may wait for answers of other systems beside them.
   */
  concurrency: number;
  /** How long runs may go on once the worker is to stop. */
  stopGraceMs: number;
}

/** A cohort does the record steps of many for little more than those of one. */
const runsPerPlace = 4;
const callsPerPlace = 16;
const sweepEveryMs = 1_000;
/** Of places that have become free, before what a sweep left out is looked for. */
const freeShare = 0.25;
const messageWaitMs = 5_000;
/** Messages that are asked for at once: names must come in faster than one organization can send them. */
const receiversCount = 4;
const namesPerClaimMax = 64;
/** Of one organization while others have runs, too: these wait for the claim, and for what its runs begin with. */
const namesOfOneMax = 8;
const presentMs = 1_000;
const troubleMs = 250;
const troubleMostMs = 5_000;

/**
 * Claims runs and executes them. It is notified of new ones over NATS; runs that no worker was notified of, and
 * runs that are due, it finds in the database. Organizations share its places, and take turns where they wait.
 */
export class Worker implements AsyncDisposable {
  readonly #options: WorkerOptions;
  readonly #places: Places;
  readonly #names = new RunNames();
  readonly #presence = new Presence(presentMs);
  readonly #stalled = new StalledRuns((name) => void this.#addReleased(name));
  readonly #active: ActiveRuns;
  readonly #claims: Claims;
  readonly #filling: Filling;
  /** Something to claim, or a place to claim it for. */
  readonly #claimable = new Changes();
  readonly #receivable = new Changes();
  readonly #sweepable = new Changes();
  readonly #limited = new Changes();
  readonly #stopping = new AbortController();
  #loops: Promise<unknown> | undefined;

  constructor(options: WorkerOptions) {
    const { concurrency, metrics, database } = options;
    this.#options = options;
    const onFree = () => this.#onFree();
    this.#places = {
      runs: new Slots(concurrency * runsPerPlace),
      calls: new Slots(concurrency * callsPerPlace),
      onFree,
    };
    this.#active = new ActiveRuns({
      ...options,
      onProgress: ({ id }) => this.#stalled.progress(id),
      onDone: (run) => this.#onDone(run),
      onWaiting: (run, inMs) => this.#wakeLater(run, inMs),
    });
    this.#filling = new Filling(this.#places.runs, () => this.#claimable.notify());
    const activeOrganizations = () => this.#active.organizations();
    const start = (run: ClaimedRun, place: Place) => this.#start(run, place);
    this.#claims = new Claims({ ...options, places: this.#places, activeOrganizations, start }, this.#stopping.signal);
    metrics.watch(() => ({ active: this.#active.count, places: this.#places }), {
      open: () => countOpenRuns(database),
      ages: () => readRunAges(database),
      queue: () => options.messaging.queueState(runsReady),
      storage: () => options.messaging.storage(),
    });
  }

  start(): void {
    const keepingLeases = this.#active.keepLeases(this.#stopping.signal);
    const receiving = Array.from({ length: receiversCount }, () => this.#receive());
    this.#loops ??= Promise.all([...receiving, this.#claim(), this.#claimLimited(), this.#sweep(), keepingLeases]);
  }

  /** Claims nothing more, lets what it has go on for a while, and gives the rest back. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#active.empty(this.#options.stopGraceMs);
    await this.#loops;
  }

  /** Receives messages as long as a place is free: what a busy worker leaves, another one receives. */
  async #receive(): Promise<void> {
    const { messaging, log } = this.#options;
    const { signal } = this.#stopping;
    for (let waitMs = troubleMs; !signal.aborted;) {
      while (this.#places.runs.free === 0 && !signal.aborted) await this.#receivable.next(signal);
      try {
        const received = await messaging.next(runsReady, messageWaitMs, signal);
        if (received) this.#add(received.runs);
        waitMs = troubleMs;
      } catch (error) {
        if (messaging.isConnected) log.warn({ err: error }, 'receiving from the queue of runs failed');
        await pause(jittered(waitMs), signal);
        waitMs = Math.min(waitMs * 2, troubleMostMs);
      }
    }
  }

  #add(names: readonly RunName[]): void {
    for (const name of names) {
      this.#presence.note(name[0]);
      this.#names.add(name);
    }
    this.#claimable.notify();
  }

  /** A run whose turn has come may just be on its way back to the database, where it could not be claimed yet. */
  async #addReleased(name: RunName): Promise<void> {
    await this.#active.released;
    this.#names.addOverdue(name);
    this.#claimable.notify();
  }

  async #claim(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#stalled.quiet;
      // Places of a cohort become free within one turn of the event loop.
      await setImmediate();
      if (!(await this.#claimNamed()) && !(await this.#claimBehind())) await this.#claimable.next(signal);
    }
  }

  /** Returns whether there was a name to claim by. */
  async #claimNamed(): Promise<boolean> {
    const places: Place[] = [];
    const asked = new Map<string, boolean>();
    const counts = new Map<string, number>();
    const most = this.#presence.isOfSeveral ? namesOfOneMax : namesPerClaimMax;
    const names = this.#names.take(namesPerClaimMax, (orgId) => {
      if (!asked.has(orgId)) asked.set(orgId, this.#filling.mayClaim(orgId));
      if (!asked.get(orgId) || (counts.get(orgId) ?? 0) === most) return false;
      const place = new Place(this.#places, orgId);
      if (!place.take()) return false;
      counts.set(orgId, (counts.get(orgId) ?? 0) + 1);
      places.push(place);
      return true;
    });
    if (names.length === 0) return false;
    // Another worker has them already, or their workflow limits how many may run.
    if (await this.#claims.claimNamed(names, places)) return true;
    this.#limited.notify();
    this.#stalled.next();
    return true;
  }

  async #claimBehind(): Promise<boolean> {
    const orgId = this.#names.takeBehind((one) => this.#filling.mayClaim(one));
    if (orgId === undefined) return false;
    if (await this.#claims.claimOf(orgId)) this.#names.noteBehind(orgId);
    return true;
  }

  async #claimLimited(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#limited.next(signal);
      await this.#stalled.quiet;
      await this.#claims.claimLimited();
    }
  }

  async #sweep(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#stalled.quiet;
      const { behind, isFull } = await this.#claims.sweep();
      for (const orgId of behind) this.#names.noteBehind(orgId);
      if (behind.length > 0) this.#claimable.notify();
      this.#limited.notify();
      await this.#nameDue();
      if (isFull) await this.#untilFree(signal);
      else await pause(jittered(sweepEveryMs), signal);
    }
  }

  async #untilFree(signal: AbortSignal): Promise<void> {
    const { runs } = this.#places;
    let namedAt = performance.now();
    while (runs.free < runs.size * freeShare && !signal.aborted) {
      await this.#sweepable.next(signal);
      if (performance.now() - namedAt < sweepEveryMs) continue;
      await this.#nameDue();
      namedAt = performance.now();
    }
  }

  /**
   * New runs of an organization may take every place of it that becomes free, for as long as they come. A run that was
   * begun goes before them: its worker was lost, or its time has come.
   */
  async #nameDue(): Promise<void> {
    const isFull = [...this.#active.organizations()].some((orgId) => this.#claims.roomOf(orgId) === 0);
    if (!isFull) return;
    for (const name of await this.#claims.dueRuns()) this.#names.addOverdue(name);
    this.#claimable.notify();
  }

  #start(run: ClaimedRun, place: Place): void {
    if (this.#stalled.admit(run)) return this.#active.start(run, place);
    place.free();
    this.#active.giveBack(run);
  }

  #onFree(): void {
    this.#claimable.notify();
    this.#receivable.notify();
    this.#sweepable.notify();
  }

  #onDone(run: ClaimedRun): void {
    this.#stalled.end(run.id);
    const { is_limited: isLimited, org_id, workflow_id } = run;
    if (isLimited && !this.#stopping.signal.aborted) void this.#claims.claimOfLimited({ org_id, workflow_id });
  }

  /** The sweep would be up to a second late. */
  #wakeLater(run: ClaimedRun, inMs: number): void {
    if (inMs > sweepEveryMs * 2) return;
    setTimeout(() => this.#add([nameOf(run)]), Math.max(0, inMs)).unref();
  }
}
