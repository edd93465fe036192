import { outageWaitMs, unlessAborted } from '@relata/runtime';
import { isDatabaseOutage } from '../unavailable.ts';

/**
 * For each key, a promise that resolves when the unit that goes first has ended. It resolves with an error if an outage
 * ended that unit.
 */
export type LeadingUnits = Map<string, Promise<Error | undefined>>;

/**
 * Lets a unit wait for a lock that another transaction holds; disposed of when the unit is done. For each key of a
 * lock, only one unit of this process waits in PostgreSQL. The others wait for that unit here, without a connection or
 * a query.
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
   * Returns true if this unit goes first for the key. Otherwise waits until the unit that goes first ends, and returns
   * false. Returns true for a lock on a row, which has no key and so no queue. If the other unit ended with an outage
   * and this unit has waited for 3 s, throws that error, since the next attempt might take as long again.
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

  /** Does the work of the unit that goes first, and remembers an outage for the units that wait for it. */
  async lead<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (isDatabaseOutage(error)) this.#outage = error as Error;
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
