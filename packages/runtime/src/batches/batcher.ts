import { type Trace, tracing } from '@relata/telemetry';
import { FairQueue, organizationName } from '../shares/fair-queue.ts';
import { RecentOrganizations } from '../shares/recent-organizations.ts';
import { type Party, Shares } from '../shares/shares.ts';
import { type WaitingCaller, DisconnectedError } from './waiting-caller.ts';

/** Too much work is waiting or in progress, so this work was refused. The caller must try again later. */
export class QueueFullError extends Error {
  override name = 'QueueFullError';

  constructor(message: string) {
    // No stack trace is captured: it would be most of the cost of this error, which may be thrown hundreds of times at
    // once.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

export interface BatcherOptions<Item, Result> {
  /** Executes a batch as a whole, or throws without any effect. Returns results in the order of the items. */
  run(items: Item[]): Promise<readonly Result[]>;
  /**
   * Returns true if an item may have caused the failure. The batch is then retried in halves, so that a bad item fails
   * alone.
   */
  isItemFault(error: unknown): boolean;
  /**
   * Returns true if a service that `run` needs is unavailable. Items that have waited for 3 seconds by then fail with
   * the same error, because their own batch might take as long as the failed one.
   */
  isOutage?(error: unknown): boolean;
  itemsMax: number;
  /** Maximum number of concurrent batches. */
  flushers: number;
  /** Maximum number of waiting items; each organization has its share. Further items are refused. */
  waitingMax: number;
  /** Returns the party of an item. Organizations take turns in every batch; if omitted, items keep their order. */
  partyOf?(item: Item): Party;
  /**
   * Maximum number of items of one organization in a batch while others are active too, since all of them wait for the
   * whole batch.
   */
  partyMax?: number;
  /**
   * True if concurrent batches have no organization in common, so that an organization with many items never occupies
   * all of them.
   */
  areApart?: boolean;
  /**
   * Returns the key of an item. Two items with the same key never share a batch; the first one's batch begins first.
   */
  keyOf?(item: Item): string;
  /** Limits in bytes or characters if items differ in size; an item that exceeds `batchMax` is executed alone. */
  weight?: { of(item: Item): number; batchMax: number; waitingMax: number };
}

interface Waiting<Item, Result> {
  item: Item;
  party: Party;
  weight: number;
  /** The trace that the item belongs to. */
  trace: Trace | undefined;
  since: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Time after its last item for which an organization counts as active. */
const presentMs = 1_000;

/**
 * If a batch fails because of an outage, items that have waited longer than this fail with it. This time plus the
 * longest batch (3 s for a connection, 13 s for PostgreSQL) is less than the 20 s after which many clients give up.
 */
export const outageWaitMs = 3_000;

/**
 * Gathers waiting items and executes them together. A batch starts as soon as fewer than `flushers` are running, so no
 * item waits for a batch to fill up.
 */
export class Batcher<Item, Result> {
  readonly #waiting = new FairQueue<Waiting<Item, Result>>();
  readonly #room: Shares;
  readonly #weightRoom: Shares;
  /** Number of running batches. */
  #busy = 0;
  readonly #underWay = new Set<string>();
  readonly #recentOrganizations = new RecentOrganizations(presentMs);
  #isScheduled = false;
  readonly #options: BatcherOptions<Item, Result>;

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
    this.#room = new Shares(options.waitingMax);
    this.#weightRoom = new Shares(options.weight?.waitingMax ?? Infinity);
  }

  /** Number of items whose batch has not begun. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** True if more than one organization has been active lately. */
  get isOfSeveral(): boolean {
    return this.#recentOrganizations.isOfSeveral;
  }

  /**
   * Adds an item. If its caller leaves while the item waits, it is removed and rejected with DisconnectedError. Once
   * its batch has begun, only `run` can react to callers that leave.
   */
  add(item: Item, caller?: WaitingCaller): Promise<Result> {
    if (caller?.hasLeft) return Promise.reject(new DisconnectedError('The client has disconnected.'));
    const { weight: weighed, partyOf } = this.#options;
    const weight = weighed?.of(item) ?? 0;
    const party = partyOf?.(item) ?? nobody;
    if (!this.#takeRoom(party, weight)) return Promise.reject(new QueueFullError('The queue is full.'));
    this.#recentOrganizations.note(organizationName(party));
    return new Promise((resolve, reject) => {
      const waiting = { item, party, weight, trace: tracing?.active(), since: performance.now(), resolve, reject };
      this.#waiting.add(party, waiting);
      if (caller) {
        // If this were assigned directly, V8 would allocate it in the old generation, where it would keep the item and
        // its caller until the next major collection (decision 46).
        const leave = () => this.#leave(waiting);
        caller.onLeft = leave;
      }
      this.#schedule();
    });
  }

  #leave(waiting: Waiting<Item, Result>): void {
    if (!this.#waiting.remove(waiting.party, waiting)) return;
    this.#giveBackRoom(waiting);
    waiting.reject(new DisconnectedError('The client has disconnected.'));
  }

  /** Starts batches in the next turn of the event loop, so that requests that arrived together share a batch. */
  #schedule(): void {
    if (this.#isScheduled || this.#busy >= this.#options.flushers) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#startAll();
    });
  }

  #startAll(): void {
    while (this.#busy < this.#options.flushers && this.#waiting.size > 0) {
      const batch = this.#takeBatch();
      if (batch.length === 0) return;
      this.#start(batch);
    }
  }

  #start(batch: Waiting<Item, Result>[]): void {
    const organizations = this.#options.areApart
      ? new Set(batch.map(({ party }) => organizationName(party)))
      : nobodyElse;
    for (const name of organizations) this.#underWay.add(name);
    this.#busy++;
    void this.#settle(batch).finally(() => {
      this.#busy--;
      for (const name of organizations) this.#underWay.delete(name);
      if (this.#waiting.size > 0) this.#schedule();
    });
  }

  #takeRoom(party: Party, weight: number): boolean {
    if (!this.#room.take(party)) return false;
    const isTaken = this.#weightRoom.take(party, weight);
    if (!isTaken) this.#room.giveBack(party);
    return isTaken;
  }

  #giveBackRoom({ party, weight }: Waiting<Item, Result>): void {
    this.#room.giveBack(party);
    this.#weightRoom.giveBack(party, weight);
  }

  #takeBatch(): Waiting<Item, Result>[] {
    const { itemsMax, keyOf, partyMax = Infinity, weight: limits } = this.#options;
    const weightMax = limits?.batchMax ?? Infinity;
    const batch: Waiting<Item, Result>[] = [];
    const keys = new Set<string | undefined>();
    let total = 0;
    const share = this.isOfSeveral ? partyMax : Infinity;
    const counts = new Map<string, number>();
    const countOf = (party: Party) => counts.get(organizationName(party)) ?? 0;
    // An item that does not fit keeps its turn, and comes first in the next batch.
    const fits = ({ item, party, weight }: Waiting<Item, Result>) =>
      !this.#underWay.has(organizationName(party)) &&
      (batch.length === 0 ||
        (total + weight <= weightMax && !(keyOf && keys.has(keyOf(item))) && countOf(party) < share));
    for (let next; batch.length < itemsMax && (next = this.#waiting.take(fits));) {
      total += next.weight;
      keys.add(keyOf?.(next.item));
      counts.set(organizationName(next.party), countOf(next.party) + 1);
      batch.push(next);
      this.#giveBackRoom(next);
    }
    return batch;
  }

  async #settle(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#run(batch);
      batch.forEach(({ resolve }, index) => resolve(results[index]!));
    } catch (error) {
      if (batch.length > 1 && this.#options.isItemFault(error)) return this.#settleHalves(batch);
      for (const { reject } of batch) reject(error);
      if (this.#options.isOutage?.(error)) this.#failWaiting(error);
    }
  }

  #failWaiting(error: unknown): void {
    const latest = performance.now() - outageWaitMs;
    for (let next; (next = this.#waiting.take(({ since }) => since <= latest));) {
      this.#giveBackRoom(next);
      next.reject(error);
    }
  }

  #run(batch: readonly Waiting<Item, Result>[]): Promise<readonly Result[]> {
    const run = () => this.#options.run(batch.map(({ item }) => item));
    if (!tracing) return run();
    return tracing.together(
      batch.map(({ trace }) => trace),
      run,
    );
  }

  /** Retries halves of a failed batch until the invalid items fail alone. */
  async #settleHalves(batch: Waiting<Item, Result>[]): Promise<void> {
    const middle = batch.length >> 1;
    await this.#settle(batch.slice(0, middle));
    await this.#settle(batch.slice(middle));
  }
}

const nobody: Party = [];
const nobodyElse: ReadonlySet<string> = new Set();
