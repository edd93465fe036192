import { type Party, QueueFullError, Shares } from '@relata/runtime';

/** Bytes that requests may hold in memory at once, of which each party has its share. */
export class ByteBudget {
  readonly #shares: Shares;

  constructor(bytes: number) {
    this.#shares = new Shares(bytes);
  }

  /** Bytes that are not held. */
  get free(): number {
    return this.#shares.free;
  }

  /** Opens an account for one request; it holds nothing yet. */
  hold(party: Party): HeldBytes {
    return new HeldBytes(this.#shares, party);
  }
}

/** The bytes of one request. What it holds is given back once, at the end of the block that uses it. */
export class HeldBytes implements Disposable {
  readonly #shares: Shares;
  readonly party: Party;
  #bytes = 0;

  constructor(shares: Shares, party: Party) {
    this.#shares = shares;
    this.party = party;
  }

  /** Throws QueueFullError where it is more than the party's share; nothing is taken then. */
  take(bytes: number): void {
    if (!this.#shares.take(this.party, bytes)) throw new QueueFullError('Too many large bodies at once.');
    this.#bytes += bytes;
  }

  giveBack(bytes = this.#bytes): void {
    this.#shares.giveBack(this.party, bytes);
    this.#bytes -= bytes;
  }

  [Symbol.dispose](): void {
    this.giveBack();
  }
}
