import { unlessAborted } from '@relata/runtime';

/** For each key, the unit that goes ahead: a promise of its end. */
export type LeadingUnits = Map<string, Promise<void>>;

/**
 * The waiting of one unit for what another transaction has locked; disposed of once it is through. For each key one unit
 * of this process goes ahead; the others wait for it here, and neither hold a connection nor ask the database.
 */
export class KeyWait implements Disposable {
  readonly #leading: LeadingUnits;
  #key: string | undefined;
  #end: (() => void) | undefined;

  constructor(leading: LeadingUnits) {
    this.#leading = leading;
  }

  /** Waits for the unit that goes ahead for a key; returns true at once if this is the one. A row has no key, and no queue. */
  async mayGoAhead(key: string | undefined, signal: AbortSignal | undefined): Promise<boolean> {
    if (key === undefined || key === this.#key) return true;
    this[Symbol.dispose]();
    const before = this.#leading.get(key);
    if (before) await (signal ? unlessAborted(before, signal) : before);
    else this.#goAhead(key);
    return before === undefined;
  }

  [Symbol.dispose](): void {
    if (this.#key !== undefined) this.#leading.delete(this.#key);
    this.#key = undefined;
    this.#end?.();
  }

  #goAhead(key: string): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#key = key;
    this.#end = resolve;
    this.#leading.set(key, promise);
  }
}
