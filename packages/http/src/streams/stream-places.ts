import { type Party, ReadersLeftError, Shares } from '@relata/runtime';
import { AppError } from '@relata/schemas/errors';
import type { Exchange } from '../exchange/exchange.ts';

export interface StreamPlacesOptions {
  /** Maximum number of streams per process; each organization has its share, and half of them if it is alone. */
  streamsMax: number;
  /** Maximum number of streams per key or person. */
  ofOneMax: number;
  retryAfterSeconds: number;
  /** Message for a caller with the maximum number of open streams. */
  tooManyOfOne: string;
}

export class StreamPlaces {
  readonly #options: StreamPlacesOptions;
  readonly #shares: Shares;

  constructor(options: StreamPlacesOptions) {
    this.#options = options;
    this.#shares = new Shares(options.streamsMax);
  }

  /**
   * Takes a slot until the response is closed. Throws `rate_limited` if the caller has too many streams,
   * `service_unavailable` if its organization or the process has, and ReadersLeftError if the reader has left, since
   * nothing would release the slot then.
   */
  take({ hasLeft, response }: Pick<Exchange, 'hasLeft' | 'response'>, party: Party): void {
    if (hasLeft) throw new ReadersLeftError('The reader has left.');
    const { ofOneMax, retryAfterSeconds, tooManyOfOne } = this.#options;
    if (this.#shares.heldBy(party) >= ofOneMax) throw new AppError('rate_limited', tooManyOfOne, { retryAfterSeconds });
    if (!this.#shares.take(party))
      throw new AppError('service_unavailable', 'Too many event streams are open. Try again.', {
        retryAfterSeconds,
      });
    response.once('close', () => this.#shares.giveBack(party));
  }
}
