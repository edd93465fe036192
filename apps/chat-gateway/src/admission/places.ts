import { Shares } from '@relata/runtime';
import { AppError } from '@relata/schemas';

/** Somebody's answer will soon have ended. */
export const retryAfterSeconds = 2;

/** Places for requests that may take long, because they wait for other people's servers. No organization gets them all. */
export class Places {
  readonly #size: number;
  readonly #shares: Shares;

  constructor(size: number) {
    this.#size = size;
    this.#shares = new Shares(size);
  }

  get taken(): number {
    return this.#size - this.#shares.free;
  }

  /** Takes one until it is disposed; throws `service_unavailable` where the organization has its share. */
  take(orgId: string): Disposable {
    if (!this.#shares.take([orgId])) throw full();
    return { [Symbol.dispose]: () => this.#shares.giveBack([orgId]) };
  }
}

const full = () =>
  new AppError('service_unavailable', 'All places are taken right now. Try again.', { retryAfterSeconds });
