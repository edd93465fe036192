import { setImmediate as nextLoop } from 'node:timers/promises';
import { FairQueue, organizationName } from './fair-queue.ts';
import { RecentOrganizations } from './recent-organizations.ts';
import { RecentTime } from './recent-time.ts';
import type { Party } from './shares.ts';

/** Time for which an organization counts as active after its last request. */
const besideMs = 60_000;

/** Time for which turns may occupy the event loop before new work lets others go first. */
const budgetMs = 3;

/**
 * Time for which turns may occupy the event loop before even an organization that took little time lately has to wait.
 */
const heldMsMax = 12;

/** Period for which the time of turns is added up, by organization. */
const recentMs = 100;

interface Waiting {
  start(): void;
}

/**
 * Turns of the event loop. Node handles all requests of a burst together, and all other work waits until they are done.
 * With turns, only as much work begins as fits into a few milliseconds. Then other requests are read, and the waiting
 * organization whose turns took the least time lately goes first.
 *
 * An organization that took little time lately continues at once: a request needs several turns, and would otherwise
 * wait for a whole round of the loop each time. Nothing waits while the loop is not busy, or once only one organization
 * has been active for a minute, because its requests then delay no other organization.
 */
export class Turns {
  readonly #waiting = new FairQueue<Waiting>();
  #heldSince: number | undefined;
  readonly #recentOrganizations = new RecentOrganizations(besideMs);
  readonly #recent = new TurnTimes(recentMs);

  /** True if more than one organization has been active lately. */
  get isShared(): boolean {
    return this.#recentOrganizations.isOfSeveral;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Returns undefined if the caller may continue at once, otherwise a promise of its turn. */
  take(party: Party): undefined | Promise<void> {
    const name = organizationName(party);
    this.#recentOrganizations.note(name);
    if (!this.isShared && this.#waiting.size === 0) return undefined;
    const now = performance.now();
    const heldMs = this.#hold(now);
    const isHeldUp = this.#waiting.size > 0 || heldMs > budgetMs;
    this.#recent.end(now);
    if (isHeldUp && !(heldMs <= heldMsMax && this.#recent.isLight(name))) return this.#wait(party);
    this.#recent.begin(name, now);
    return undefined;
  }

  /** Ends the turn of ongoing work; resolves once other requests have been read and it is the party's turn again. */
  async yieldToLoop(party: Party): Promise<void> {
    this.#recentOrganizations.note(organizationName(party));
    if (!this.isShared && this.#waiting.size === 0) return nextLoop();
    const now = performance.now();
    this.#hold(now);
    this.#recent.end(now);
    await this.#wait(party);
  }

  /**
   * Returns a function that long work calls between its parts. After a few milliseconds of work, the function returns a
   * promise of the next turn; before that, undefined.
   */
  yieldAfterSlice(party: Party): () => undefined | Promise<void> {
    let since = performance.now();
    return () => {
      if (performance.now() - since < budgetMs) return undefined;
      return this.yieldToLoop(party).then(() => void (since = performance.now()));
    };
  }

  #wait(party: Party): Promise<void> {
    const start = (resolve: () => void) => () => {
      this.#recent.begin(organizationName(party), performance.now());
      resolve();
    };
    return new Promise((resolve) => this.#waiting.add(party, { start: start(resolve) }));
  }

  /** Returns how long turns have occupied the loop, and records when that began. */
  #hold(now: number): number {
    if (this.#heldSince === undefined) {
      this.#heldSince = now;
      setImmediate(this.#nextLoop);
    }
    return now - this.#heldSince;
  }

  /** Starts the next turns; by now the loop has read the requests that arrived during the last ones. */
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
    // `nextTick` runs after all microtasks that `start` causes.
    queueMicrotask(() => process.nextTick(this.#startUnlessUsedUp));
  };

  readonly #startUnlessUsedUp = (): void => {
    const now = performance.now();
    this.#recent.end(now);
    if (!(now - this.#heldSince! > budgetMs)) this.#startNext();
  };
}

/** The time of past turns, and the current turn. */
class TurnTimes extends RecentTime {
  /** The organization whose turn it is, and the time at which it began. */
  #current: { name: string; since: number } | undefined;

  begin(name: string, now: number): void {
    this.#current = { name, since: now };
  }

  /** Ends the current turn, if there is one, and adds its time to that of its organization. */
  end(now: number): void {
    this.update(now);
    if (!this.#current) return;
    const { name, since } = this.#current;
    this.#current = undefined;
    this.add(name, now - since);
  }
}
