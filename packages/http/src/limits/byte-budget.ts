import { type Party, QueueFullError, Shares } from '@relata/runtime';

/** Bytes that requests may hold in memory at once; each party has its share. */
export class ByteBudget {
  readonly #shares: Shares;
  readonly #uncounted: number;

  /** The first `uncounted` bytes of each account do not count. Then something else must limit the number of accounts. */
  constructor(bytes: number, { uncounted = 0 } = {}) {
    this.#shares = new Shares(bytes);
    this.#uncounted = uncounted;
  }

  get free(): number {
    return this.#shares.free;
  }

  /** Opens an account for a request, which holds nothing yet. */
  hold(party: Party): HeldBytes {
    return new HeldBytes(this.#shares, party, this.#uncounted);
  }
}

/** The bytes that a request holds. They are released once, at the end of the block that uses them. */
export class HeldBytes implements Disposable {
  readonly #shares: Shares;
  readonly party: Party;
  readonly #uncounted: number;
  #bytes = 0;

  constructor(shares: Shares, party: Party, uncounted = 0) {
    this.#shares = shares;
    this.party = party;
    this.#uncounted = uncounted;
  }

  /** Throws QueueFullError, without taking anything, if the party's share would be exceeded. */
  take(bytes: number): void {
    const counted = this.#countedOf(this.#bytes + bytes) - this.#countedOf(this.#bytes);
    if (!this.#shares.take(this.party, counted)) throw new QueueFullError('Too many large bodies at once.');
    this.#bytes += bytes;
  }

  giveBack(bytes = this.#bytes): void {
    this.#shares.giveBack(this.party, this.#countedOf(this.#bytes) - this.#countedOf(this.#bytes - bytes));
    this.#bytes -= bytes;
  }

  #countedOf(bytes: number): number {
    return Math.max(0, bytes - this.#uncounted);
  }

  [Symbol.dispose](): void {
    this.giveBack();
  }
}
