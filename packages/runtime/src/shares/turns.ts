import { FairQueue, nameOf } from './fair-queue.ts';
import { Presence } from './presence.ts';
import type { Party } from './shares.ts';

/** For how long after a request of another organization one counts as beside it. */
const besideMs = 60_000;

/** How long the event loop is held before what has just begun lets others go first. */
const budgetMs = 3;

/** How long it is held before even an organization that has taken few turns lately waits. */
const heldMsMax = 12;

/** How long turns are counted before they are counted anew. */
const recentMs = 100;

interface Waiting {
  start(): void;
}

/**
 * Turns of the event loop. Whatever arrives in one burst is taken up in one go by Node, and all other work waits until
 * all of it is done; here only as much of it begins as fits into a few milliseconds, then others are read, and of those
 * who wait each organization has its turn. One that has taken few turns lately goes on at once: a request needs several,
 * and would wait for a whole loop at each. While the loop is not held up, nothing waits; nor while one organization has
 * been alone for a minute, since its burst holds up nobody else's work.
 */
export class Turns {
  readonly #waiting = new FairQueue<Waiting>();
  #heldSince: number | undefined;
  readonly #presence = new Presence(besideMs);
  readonly #recent = new RecentTurns();

  /** Whether more than one organization has come lately. */
  get isShared(): boolean {
    return this.#presence.isOfSeveral;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Returns undefined where the caller may go on at once, else a promise of its turn. */
  take(party: Party): undefined | Promise<void> {
    const name = nameOf(party);
    this.#presence.note(name);
    if (!this.isShared && this.#waiting.size === 0) return undefined;
    const now = performance.now();
    const isLight = this.#recent.add(name, now);
    if (this.#heldSince === undefined) {
      this.#heldSince = now;
      setImmediate(this.#nextLoop);
      return undefined;
    }
    const heldMs = now - this.#heldSince;
    if (this.#waiting.size === 0 && heldMs <= budgetMs) return undefined;
    if (isLight && heldMs <= heldMsMax) return undefined;
    return new Promise((start) => this.#waiting.add(party, { start }));
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

/** The turns that each organization has taken in this tenth of a second. */
class RecentTurns {
  readonly #counts = new Map<string, number>();
  #total = 0;
  #since = 0;

  /** Counts a turn; true if the organization has taken fewer of them than organizations have on average. */
  add(organization: string, now: number): boolean {
    if (now - this.#since > recentMs) {
      this.#counts.clear();
      this.#total = 0;
      this.#since = now;
    }
    const before = this.#counts.get(organization) ?? 0;
    this.#counts.set(organization, before + 1);
    this.#total++;
    return before + 1 < this.#total / this.#counts.size;
  }
}
