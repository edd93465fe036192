import { FairQueue } from './fair-queue.ts';
import type { Party } from './shares.ts';

/** For how long after a request of another organization one counts as beside it. */
const besideMs = 60_000;

/** How long the event loop is held before what has just begun lets others go first. */
const budgetMs = 3;

interface Waiting {
  start(): void;
}

/**
 * Turns of the event loop. Whatever arrives in one burst is taken up in one go by Node, and all other work waits until
 * all of it is done; here only as much of it begins as fits into a few milliseconds, then others are read, and of those
 * who wait each organization has its turn. While the loop is not held up, nothing waits; nor while one organization has
 * been alone for a minute, since its burst holds up nobody else's work.
 */
export class Turns {
  readonly #waiting = new FairQueue<Waiting>();
  #heldSince: number | undefined;
  #latest: string | undefined;
  #sharedUntil = -Infinity;

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Returns undefined where the caller may go on at once, else a promise of its turn. */
  take(party: Party): undefined | Promise<void> {
    if (!this.#isShared(party) && this.#waiting.size === 0) return undefined;
    if (this.#heldSince === undefined) {
      this.#heldSince = performance.now();
      setImmediate(this.#nextLoop);
      return undefined;
    }
    if (this.#waiting.size === 0 && !this.#isUsedUp) return undefined;
    return new Promise((start) => this.#waiting.add(party, { start }));
  }

  /** Returns true if more than one organization has come lately. */
  #isShared([organization = '']: Party): boolean {
    const now = performance.now();
    if (organization !== this.#latest) {
      if (this.#latest !== undefined) this.#sharedUntil = now + besideMs;
      this.#latest = organization;
    }
    return now < this.#sharedUntil;
  }

  get #isUsedUp(): boolean {
    return performance.now() - this.#heldSince! > budgetMs;
  }

  /** What came in with the last turns has been read by now. */
  readonly #nextLoop = (): void => {
    if (this.#waiting.size === 0) {
      this.#heldSince = undefined;
      return;
    }
    this.#heldSince = performance.now();
    setImmediate(this.#nextLoop);
    this.#startNext();
  };

  readonly #startNext = (): void => {
    const next = this.#waiting.take();
    if (!next) return;
    next.start();
    // After all that the start leads to at once: a tick comes after every microtask.
    if (this.#waiting.size > 0) queueMicrotask(() => process.nextTick(this.#startUnlessUsedUp));
  };

  readonly #startUnlessUsedUp = (): void => {
    if (!this.#isUsedUp) this.#startNext();
  };
}
