import { outageWaitMs, unlessAborted } from '@relata/runtime';
import { isOutage } from '../unavailable.ts';

/** For each key, the unit that goes ahead: a promise of its end, with the outage that ended it. */
export type LeadingUnits = Map<string, Promise<Error | undefined>>;

/**
 * The waiting of one unit for what another transaction has locked; disposed of once it is through. For each key one unit
 * of this process goes ahead; the others wait for it here, and neither hold a connection nor ask the database.
 */
export class KeyWait implements Disposable {
  readonly #leading: LeadingUnits;
  #key: string | undefined;
  #end: ((outage: Error | undefined) => void) | undefined;
  #outage: Error | undefined;
  readonly #since = performance.now();

  constructor(leading: LeadingUnits) {
    this.#leading = leading;
  }

  /**
   * Waits for the unit that goes ahead for a key; returns true at once if this is the one. A row has no key, and no queue.
   * Throws the outage that ended the other unit if this one has waited for long: it would wait as long again.
   */
  async mayGoAhead(key: string | undefined, signal: AbortSignal | undefined): Promise<boolean> {
    if (key === undefined || key === this.#key) return true;
    this[Symbol.dispose]();
    const before = this.#leading.get(key);
    if (before === undefined) {
      this.#goAhead(key);
      return true;
    }
    const outage = await (signal ? unlessAborted(before, signal) : before);
    if (outage && performance.now() - this.#since >= outageWaitMs) throw outage;
    return false;
  }

  /** Does the work of the unit that goes ahead, and remembers an outage for those that wait for it. */
  async lead<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (isOutage(error)) this.#outage = error as Error;
      throw error;
    }
  }

  [Symbol.dispose](): void {
    if (this.#key !== undefined) this.#leading.delete(this.#key);
    this.#key = undefined;
    this.#end?.(this.#outage);
  }

  #goAhead(key: string): void {
    const { promise, resolve } = Promise.withResolvers<Error | undefined>();
    this.#key = key;
    this.#end = resolve;
    this.#leading.set(key, promise);
  }
}
