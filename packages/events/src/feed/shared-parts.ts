import { LRUCache } from 'lru-cache';
import type { FeedPart } from './feed-reading.ts';

/** Maximum number of parts, each with up to 1 MB of text until it expires. */
const partsMax = 16;
/** Time for which a part is kept, in ms: longer than a burst of followers that were woken together. */
const keptMs = 1_000;

/** Parts that followers have read recently: followers at the same position share one read. */
export class SharedParts {
  readonly #parts = new LRUCache<string, Promise<FeedPart>>({ max: partsMax, ttl: keptMs, ttlAutopurge: true });

  /** Returns the part after a position; reads it unless it is being read or was read recently. */
  read(place: string, from: number, read: () => Promise<FeedPart>): Promise<FeedPart> {
    const shared = this.#parts.get(place);
    if (shared) return shared;
    const part = read();
    this.#parts.set(place, part);
    // If the position has not moved, another read may find more.
    const forget = () => this.#parts.delete(place);
    part.then(({ cursor }) => cursor.seq === from && forget(), forget);
    return part;
  }
}
