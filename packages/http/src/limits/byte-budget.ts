import { type Party, QueueFullError, Shares } from '@relata/runtime';

/** Bytes that requests may hold in memory at once; each party has its share. */
export class ByteBudget {
  readonly #shares: Shares;

  constructor(bytes: number) {
    this.#shares = new Shares(bytes);
  }

  get free(): number {
    return this.#shares.free;
  }

  /** Opens an account for a request, which holds nothing yet. */
  hold(party: Party): HeldBytes {
    return new HeldBytes(this.#shares, party);
  }
}

/** The bytes that a request holds. They are released once, at the end of the block that uses them. */
export class HeldBytes implements Disposable {
  readonly #shares: Shares;
  readonly party: Party;
  #bytes = 0;

  constructor(shares: Shares, party: Party) {
    this.#shares = shares;
    this.party = party;
  }

  /** Throws QueueFullError, without taking anything, if the party's share would be exceeded. */
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
