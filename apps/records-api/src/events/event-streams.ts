import type { Caller } from '@relata/auth';
import { StreamPlaces } from '@relata/http';

/** Streams of one process, of which each organization has its share: alone half of them. */
const streamsMax = 100;
/** Of one key in one process. */
const streamsOfKeyMax = 5;
/** A stream lasts ten minutes at most. */
const retryAfterSeconds = 10;

const tooManyOfOne = `The API key has ${streamsOfKeyMax} streams of events open, which is the most. Close one, or try again later.`;

/** Places for streams of events. */
export class EventStreams {
  readonly #places = new StreamPlaces({ streamsMax, ofOneMax: streamsOfKeyMax, retryAfterSeconds, tooManyOfOne });

  /** Takes a place until what is returned is called; throws `rate_limited` for the key, `service_unavailable` for the process. */
  take({ orgId, keyId }: Pick<Caller, 'orgId' | 'keyId'>): () => void {
    return this.#places.take([orgId, keyId]);
  }
}
