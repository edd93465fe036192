import { type Party, DisconnectedError, Shares } from '@relata/runtime';
import { AppError } from '@relata/schemas/errors';
import type { Exchange } from '../exchange/exchange.ts';

export interface StreamSlotsOptions {
  /** Maximum number of streams per process. Each organization has its share; a single organization gets half. */
  streamsMax: number;
  /** Maximum number of streams per key or person. */
  ofOneMax: number;
  retryAfterSeconds: number;
  /** Message for a caller with the maximum number of open streams. */
  tooManyOfOne: string;
}

export class StreamSlots {
  readonly #options: StreamSlotsOptions;
  readonly #shares: Shares;

  constructor(options: StreamSlotsOptions) {
    this.#options = options;
    this.#shares = new Shares(options.streamsMax);
  }

  /**
   * Takes a slot until the response is closed. Throws `rate_limited` if the caller has the maximum number of streams,
   * `service_unavailable` if the share of its organization is used up, and DisconnectedError if the reader has left:
   * its response is closed already, so nothing would release the slot.
   */
  take({ hasLeft, response }: Pick<Exchange, 'hasLeft' | 'response'>, party: Party): void {
    if (hasLeft) throw new DisconnectedError('The client has disconnected.');
    const { ofOneMax, retryAfterSeconds, tooManyOfOne } = this.#options;
    if (this.#shares.heldBy(party) >= ofOneMax) throw new AppError('rate_limited', tooManyOfOne, { retryAfterSeconds });
    if (!this.#shares.take(party))
      throw new AppError('service_unavailable', 'Too many event streams are open. Try again.', {
        retryAfterSeconds,
      });
    response.once('close', () => this.#shares.giveBack(party));
  }
}
