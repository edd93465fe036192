import { setImmediate as nextLoop } from 'node:timers/promises';
import { FairQueue, nameOf } from './fair-queue.ts';
import { Presence } from './presence.ts';
import type { Party } from './shares.ts';

/** How long after a request of another organization one counts as beside it. */
const besideMs = 60_000;

/** How long the event loop is held before what has just begun lets others go first. */
const budgetMs = 3;

/** How long it is held before even an organization that has taken little of it lately waits. */
const heldMsMax = 12;

/** How long the time that turns took is added up before it is counted anew. */
const recentMs = 100;

interface Waiting {
  start(): void;
}

/**
 * Turns of the event loop. Whatever arrives in one burst is taken up in one go by Node, and all other work waits until
 * all of it is done; here only as much of it begins as fits into a few milliseconds, then others are read, and of those
 * who wait the organization goes first that has taken the least time lately. A turn costs the time that it took. One that
 * has taken little lately goes on at once: a request needs several, and would wait for a whole loop at each. While the loop
 * is not held up, nothing waits; nor while one organization has been alone for a minute, since its burst holds up nobody
 * else's work.
 */
export class Turns {
  readonly #waiting = new FairQueue<Waiting>();
  #heldSince: number | undefined;
  readonly #presence = new Presence(besideMs);
  readonly #recent = new RecentTime();

  /** True if more than one organization has come lately. */
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
    const heldMs = this.#hold(now);
    const isHeldUp = this.#waiting.size > 0 || heldMs > budgetMs;
    this.#recent.end(now);
    if (isHeldUp && !(heldMs <= heldMsMax && this.#recent.isLight(name))) return this.#wait(party);
    this.#recent.begin(name, now);
    return undefined;
  }

  /** Ends the turn of work that goes on: returns once others were read, and it is the party's turn again. */
  async giveWay(party: Party): Promise<void> {
    this.#presence.note(nameOf(party));
    if (!this.isShared && this.#waiting.size === 0) return nextLoop();
    const now = performance.now();
    this.#hold(now);
    this.#recent.end(now);
    await this.#wait(party);
  }

  /**
   * Returns a function for long work to call between its parts: a promise of its next turn once it has had a few
   * milliseconds, undefined before.
   */
  pace(party: Party): () => undefined | Promise<void> {
    let since = performance.now();
    return () => {
      if (performance.now() - since < budgetMs) return undefined;
      return this.giveWay(party).then(() => void (since = performance.now()));
    };
  }

  #wait(party: Party): Promise<void> {
    const start = (resolve: () => void) => () => {
      this.#recent.begin(nameOf(party), performance.now());
      resolve();
    };
    return new Promise((resolve) => this.#waiting.add(party, { start: start(resolve) }));
  }

  /** How long the loop has been held. */
  #hold(now: number): number {
    if (this.#heldSince === undefined) {
      this.#heldSince = now;
      setImmediate(this.#nextLoop);
    }
    return now - this.#heldSince;
  }

  get #isUsedUp(): boolean {
    return performance.now() - this.#heldSince! > budgetMs;
  }

  /** By now the loop has read what came in with the last turns. */
  readonly #nextLoop = (): void => {
    const now = performance.now();
    this.#recent.end(now);
    if (this.#waiting.size === 0) {
      this.#heldSince = undefined;
      return;
    }
    this.#heldSince = now;
    setImmediate(this.#nextLoop);
    this.#startNext();
  };

  readonly #startNext = (): void => {
    const next = this.#waiting.takeLeast((organization) => this.#recent.of(organization));
    if (!next) return;
    next.start();
    // After all that the start leads to at once: a tick comes after every microtask.
    queueMicrotask(() => process.nextTick(this.#startUnlessUsedUp));
  };

  readonly #startUnlessUsedUp = (): void => {
    this.#recent.end(performance.now());
    if (!this.#isUsedUp) this.#startNext();
  };
}

/** The milliseconds that the turns of each organization took in this tenth of a second. */
class RecentTime {
  readonly #took = new Map<string, number>();
  #total = 0;
  #since = 0;
  /** The organization whose turn it is, and since when. */
  #current: { name: string; since: number } | undefined;

  begin(name: string, now: number): void {
    this.#current = { name, since: now };
  }

  /** Charges the turn that has been going on, if there is one. */
  end(now: number): void {
    if (now - this.#since > recentMs) this.#forget(now);
    if (!this.#current) return;
    const { name, since } = this.#current;
    this.#current = undefined;
    this.#took.set(name, this.of(name) + now - since);
    this.#total += now - since;
  }

  of(name: string): number {
    return this.#took.get(name) ?? 0;
  }

  /** True if the organization has taken less than organizations have on average. */
  isLight(name: string): boolean {
    const count = this.#took.size + (this.#took.has(name) ? 0 : 1);
    return this.of(name) < this.#total / count;
  }

  #forget(now: number): void {
    this.#took.clear();
    this.#total = 0;
    this.#since = now;
  }
}
