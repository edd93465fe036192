import type { Caller } from '@relata/auth';
import { Shares } from '@relata/runtime';
import { AppError } from '@relata/schemas';

/** Streams of one process, of which each organization has its share: alone half of them. */
const streamsMax = 100;
/** Of one key in one process. */
const streamsOfKeyMax = 5;
/** A stream lasts ten minutes at most. */
const retryAfterSeconds = 10;

/** Places for streams of events. */
export class EventStreams {
  readonly #shares = new Shares(streamsMax);

  /** Takes a place until what is returned is called; throws `rate_limited` for the key, `service_unavailable` for the process. */
  take({ orgId, keyId }: Pick<Caller, 'orgId' | 'keyId'>): () => void {
    if (this.#shares.heldBy([orgId, keyId]) >= streamsOfKeyMax)
      throw new AppError('rate_limited', tooManyOfKey, { retryAfterSeconds });
    if (!this.#shares.take([orgId, keyId]))
      throw new AppError('service_unavailable', 'Too many streams of events are open. Try again.', {
        retryAfterSeconds,
      });
    return () => this.#shares.giveBack([orgId, keyId]);
  }
}

const tooManyOfKey = `The API key has ${streamsOfKeyMax} streams of events open, which is the most. Close one, or try again later.`;
