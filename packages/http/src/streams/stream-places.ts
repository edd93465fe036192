import { type Party, Shares } from '@relata/runtime';
import { AppError } from '@relata/schemas/errors';

export interface StreamPlacesOptions {
  /** Of one process; each organization has its share of them, alone half. */
  streamsMax: number;
  /** Of one key or person. */
  ofOneMax: number;
  retryAfterSeconds: number;
  /** Says that one has as many open as they may. */
  tooManyOfOne: string;
}

/** Places for streams that are open. */
export class StreamPlaces {
  readonly #options: StreamPlacesOptions;
  readonly #shares: Shares;

  constructor(options: StreamPlacesOptions) {
    this.#options = options;
    this.#shares = new Shares(options.streamsMax);
  }

  /** Takes a place until what is returned is called; throws `rate_limited` for the one, `service_unavailable` for the process. */
  take(party: Party): () => void {
    const { ofOneMax, retryAfterSeconds, tooManyOfOne } = this.#options;
    if (this.#shares.heldBy(party) >= ofOneMax) throw new AppError('rate_limited', tooManyOfOne, { retryAfterSeconds });
    if (!this.#shares.take(party))
      throw new AppError('service_unavailable', 'Too many streams of events are open. Try again.', {
        retryAfterSeconds,
      });
    return () => this.#shares.giveBack(party);
  }
}
