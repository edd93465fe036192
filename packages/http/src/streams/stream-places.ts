import { type Party, Shares } from '@relata/runtime';
import { AppError } from '@relata/schemas/errors';

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
   * Takes a slot, and returns a function that releases it. Throws `rate_limited` if the caller has too many streams,
   * `service_unavailable` if its organization or the process has.
   */
  take(party: Party): () => void {
    const { ofOneMax, retryAfterSeconds, tooManyOfOne } = this.#options;
    if (this.#shares.heldBy(party) >= ofOneMax) throw new AppError('rate_limited', tooManyOfOne, { retryAfterSeconds });
    if (!this.#shares.take(party))
      throw new AppError('service_unavailable', 'Too many event streams are open. Try again.', {
        retryAfterSeconds,
      });
    return () => this.#shares.giveBack(party);
  }
}
