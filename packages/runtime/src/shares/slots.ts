import type { Loop } from '../loop.ts';
import { FairQueue, organizationName } from './fair-queue.ts';
import { RecentTime } from './recent-time.ts';
import { type Party, Shares } from './shares.ts';

interface Waiting {
  party: Party;
  start(): void;
}

export interface LongestWait {
  ms: number;
  error(): Error;
}

export interface HoldOptions {
  signal?: AbortSignal | undefined;
  longestWait?: LongestWait;
  /**
   * Time for which the slot stays unavailable after the work (its rest), as a multiple of the work's duration; 0 by
   * default.
   */
  restTimes?: number;
}

/** Maximum rest. Work that takes longer than this has mostly waited, for a disk or on a busy machine. */
const restMsMax = 100;

/**
 * Slots for work that takes a while, such as runs, and for connections. Each party has its share, and waiting parties
 * take turns by organization. Work that gets a slot at once is not queued.
 */
export class Slots {
  readonly size: number;
  readonly #shares: Shares;
  readonly #waiting = new FairQueue<Waiting>();
  readonly #heldTime: RecentTime | undefined;
  #waited = 0;
  #woken: readonly Loop[] = [];

  /**
   * With `timedMs`, the waiting organization that has held slots for the least time within this period goes first. This
   * is for slots that a caller could occupy for long on purpose. Only the time of `hold` counts.
   */
  constructor(size: number, { timedMs }: { timedMs?: number } = {}) {
    this.size = size;
    this.#shares = new Shares(size);
    this.#heldTime = timedMs === undefined ? undefined : new RecentTime(timedMs);
  }

  /** Wakes these loops whenever a slot is released from now on. */
  wakes(loops: readonly Loop[]): void {
    this.#woken = loops;
  }

  get free(): number {
    return this.#shares.free;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Number of acquisitions that have had to wait. */
  get waited(): number {
    return this.#waited;
  }

  heldBy(party: Party): number {
    return this.#shares.heldBy(party);
  }

  /** Returns the number of slots that the party could take now. */
  roomFor(party: Party): number {
    return this.#shares.roomFor(party);
  }

  /** Takes a slot if one is free for the party; returns false otherwise. */
  take(party: Party): boolean {
    return this.#shares.take(party);
  }

  /**
   * Takes a free slot and returns undefined, or returns a promise of a slot. The promise rejects with the signal's
   * reason if the signal is aborted first, and with the error of `longest` after that time. As long as a party's share
   * is used up, new work of the party does not overtake its waiting work.
   */
  acquire(party: Party, signal?: AbortSignal, longest?: LongestWait): undefined | Promise<void> {
    if (!signal?.aborted && this.#shares.take(party)) return undefined;
    return this.#wait(party, signal, longest);
  }

  /**
   * Waits for a slot like `acquire`, and holds it until it is disposed of. After work that keeps a whole process busy,
   * the slot can rest, up to 100 ms: with three slots and a rest as long as the work, an organization has one slot at a
   * time, and half of the time is left for others.
   */
  async hold(party: Party, { signal, longestWait, restTimes = 0 }: HoldOptions = {}): Promise<Disposable> {
    await this.acquire(party, signal, longestWait);
    const heldSince = performance.now();
    const held = new DisposableStack();
    held.defer(() => {
      const now = performance.now();
      const heldMs = now - heldSince;
      this.#heldTime?.update(now);
      this.#heldTime?.add(organizationName(party), heldMs);
      const restMs = Math.min(heldMs * restTimes, restMsMax);
      if (restMs === 0) this.release(party);
      else setTimeout(() => this.release(party), restMs).unref();
    });
    return held;
  }

  release(party: Party): void {
    this.#shares.giveBack(party);
    if (this.#waiting.size > 0) this.#startNext();
    for (const loop of this.#woken) loop.wake();
  }

  /**
   * Waits for a slot. It does not use AbortSignal.any, which would cost more than all other work of a short request.
   */
  async #wait(party: Party, signal: AbortSignal | undefined, longest: LongestWait | undefined): Promise<void> {
    signal?.throwIfAborted();
    this.#waited++;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { party, start: resolve };
    this.#waiting.add(party, waiting);
    const leave = (reason: Error) => this.#waiting.remove(party, waiting) && reject(reason);
    const onAbort = () => leave(signal!.reason as Error);
    signal?.addEventListener('abort', onAbort, { once: true });
    const timer = longest && setTimeout(() => leave(longest.error()), longest.ms);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  #startNext(): void {
    for (;;) {
      const next = this.#takeNext();
      if (!next) return;
      this.#shares.add(next.party);
      next.start();
    }
  }

  #takeNext(): Waiting | undefined {
    const mayGo = ({ party }: Waiting) => this.#shares.canTake(party);
    const time = this.#heldTime;
    return time ? this.#waiting.takeLeast((name) => time.of(name), mayGo) : this.#waiting.take(mayGo);
  }
}
