import type { Caller } from '@relata/auth';
import { StreamPlaces } from '@relata/http';

/** Maximum number of streams per process; an organization has its share, and half of them if it is alone. */
const streamsMax = 100;
/** Maximum number of streams of a key per process. */
const streamsOfKeyMax = 5;
/** Short, since a stream lasts at most ten minutes. */
const retryAfterSeconds = 10;

const tooManyOfOne = `The API key has ${streamsOfKeyMax} event streams open, which is the limit. Close one, or try again later.`;

/** Slots for event streams. */
export class EventStreams {
  readonly #places = new StreamPlaces({ streamsMax, ofOneMax: streamsOfKeyMax, retryAfterSeconds, tooManyOfOne });

  /**
   * Takes a slot, and returns a function that releases it; throws `rate_limited` if the key has too many streams,
   * `service_unavailable` if the process has.
   */
  take({ orgId, keyId }: Pick<Caller, 'orgId' | 'keyId'>): () => void {
    return this.#places.take([orgId, keyId]);
  }
}
