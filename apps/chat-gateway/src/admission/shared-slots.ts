import { Shares } from '@relata/runtime';
import { AppError } from '@relata/schemas/errors';

/** Somebody's answer will soon have ended. */
export const retryAfterSeconds = 2;

/** Slots for requests that may take long because they wait for other people's servers. One organization gets at most half. */
export class SharedSlots {
  readonly #size: number;
  readonly #shares: Shares;

  constructor(size: number) {
    this.#size = size;
    this.#shares = new Shares(size);
  }

  get used(): number {
    return this.#size - this.#shares.free;
  }

  /** Takes a slot until it is disposed; throws `service_unavailable` if the organization has its share. */
  acquire(orgId: string): Disposable {
    if (!this.#shares.take([orgId])) throw full();
    return { [Symbol.dispose]: () => this.#shares.giveBack([orgId]) };
  }
}

const full = () => new AppError('service_unavailable', 'The chat is at capacity. Try again.', { retryAfterSeconds });
