import type { ServerResponse } from 'node:http';
import { type Party, QueueFullError, Shares } from '@relata/runtime';

/** Smaller answers are not counted. */
const countedBytesMin = 65_536;

/** Bytes of answers that are written and that their readers have not taken yet, of which each party has its share. */
export class UnreadAnswers {
  readonly #shares: Shares;

  constructor(bytes: number) {
    this.#shares = new Shares(bytes);
  }

  /** What is not used. */
  get free(): number {
    return this.#shares.free;
  }

  /** Throws QueueFullError where the party has left so much unread that this many bytes more are over its share. */
  requireRoom(party: Party, bytes = countedBytesMin): void {
    if (bytes < countedBytesMin) return;
    if (!this.#shares.canTake(party, bytes)) throw new QueueFullError('Too many answers that are not read.');
  }

  /** Counts what is left of an answer that was just written, until it is taken or the connection is gone. */
  add(party: Party, response: ServerResponse): void {
    const bytes = response.writableLength;
    if (bytes < countedBytesMin || response.destroyed) return;
    this.#shares.add(party, bytes);
    response.once('close', () => this.#shares.giveBack(party, bytes));
  }
}
