import { type Party, QueueFullError, Shares } from '@relata/runtime';

/**
 * Number of bytes at the beginning of each body that count against a separate budget. Otherwise a few large bodies
 * could use up a share to the last byte, and all small requests of an organization, or of all strangers, would be
 * refused.
 */
const beginningBytes = 32_768;

interface Rooms {
  /** Budget for the beginnings of all bodies. */
  beginnings: Shares;
  /** Budget for the rest of large bodies. */
  rest: Shares;
  beginningBytes: number;
}

/**
 * Budget for the bytes that all requests hold in memory; each party has its share. The first 32 KB of each body count
 * against a separate budget, which is half as large.
 */
export class ByteBudget {
  readonly #rooms: Rooms;

  constructor(bytes: number, { beginning = beginningBytes } = {}) {
    this.#rooms = { beginnings: new Shares(bytes / 2), rest: new Shares(bytes), beginningBytes: beginning };
  }

  /** Bytes of all accounts. */
  get held(): number {
    const { beginnings, rest } = this.#rooms;
    return beginnings.heldBy([]) + rest.heldBy([]);
  }

  /** Opens an account for a request, which holds nothing yet. */
  hold(party: Party): HeldBytes {
    return new HeldBytes(this.#rooms, party);
  }
}

/** The bytes that a request holds. They are released once, at the end of the block that uses them. */
export class HeldBytes implements Disposable {
  readonly #rooms: Rooms;
  readonly party: Party;
  #bytes = 0;

  constructor(rooms: Rooms, party: Party) {
    this.#rooms = rooms;
    this.party = party;
  }

  /** Takes more bytes. Throws QueueFullError, without taking anything, if the party's share would be exceeded. */
  take(bytes: number): void {
    const { beginnings, rest } = this.#rooms;
    const beginning = this.#beginningOf(this.#bytes + bytes) - this.#beginningOf(this.#bytes);
    if (!beginnings.take(this.party, beginning)) throw tooMany();
    if (!rest.take(this.party, bytes - beginning)) {
      beginnings.giveBack(this.party, beginning);
      throw tooMany();
    }
    this.#bytes += bytes;
  }

  giveBack(bytes = this.#bytes): void {
    const beginning = this.#beginningOf(this.#bytes) - this.#beginningOf(this.#bytes - bytes);
    this.#rooms.beginnings.giveBack(this.party, beginning);
    this.#rooms.rest.giveBack(this.party, bytes - beginning);
    this.#bytes -= bytes;
  }

  #beginningOf(bytes: number): number {
    return Math.min(bytes, this.#rooms.beginningBytes);
  }

  [Symbol.dispose](): void {
    this.giveBack();
  }
}

const tooMany = () => new QueueFullError('Too many large bodies at once.');
