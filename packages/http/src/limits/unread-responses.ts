import type { ServerResponse } from 'node:http';
import { type Party, QueueFullError, Shares } from '@relata/runtime';

/** Minimum size of responses that are counted. */
const countedBytesMin = 65_536;

/** Budget for bytes of responses that clients have not received yet; each party has its share. */
export class UnreadResponses {
  readonly #shares: Shares;

  constructor(bytes: number) {
    this.#shares = new Shares(bytes);
  }

  get free(): number {
    return this.#shares.free;
  }

  /** Throws QueueFullError if this many more bytes would exceed the party's share of unread responses. */
  requireRoom(party: Party, bytes = countedBytesMin): void {
    if (bytes < countedBytesMin) return;
    if (!this.#shares.canTake(party, bytes)) throw new QueueFullError('Too many unread responses.');
  }

  /**
   * Counts the unsent part of a response that was just written, until it has been received or the connection is closed.
   */
  add(party: Party, response: ServerResponse): void {
    const bytes = response.writableLength;
    if (bytes < countedBytesMin || response.destroyed) return;
    this.#shares.add(party, bytes);
    response.once('close', () => this.#shares.giveBack(party, bytes));
  }
}
