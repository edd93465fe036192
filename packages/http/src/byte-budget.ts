import { QueueFullError } from '@relata/runtime';

/** Bytes of bodies that may be in memory at once, over all requests: a bound on what many large ones can take. */
export class ByteBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Throws QueueFullError where there is not so much left; nothing is taken then. */
  take(bytes: number): void {
    if (bytes > this.#left) throw new QueueFullError('Too many large bodies at once.');
    this.#left -= bytes;
  }

  giveBack(bytes: number): void {
    this.#left += bytes;
  }
}
