import { LRUCache } from 'lru-cache';
import type { FeedPart } from './feed-reading.ts';

/** Each holds up to 1 MB of text, until it is forgotten. */
const partsMax = 16;
/** Longer than a burst of followers that were woken together. */
const keptMs = 1_000;

/** The parts that followers have read just now: those who stand at the same place share one reading. */
export class SharedParts {
  readonly #parts = new LRUCache<string, Promise<FeedPart>>({ max: partsMax, ttl: keptMs, ttlAutopurge: true });

  /** Returns the part behind a place, which is read unless it is being read or was read just now. */
  read(place: string, from: number, read: () => Promise<FeedPart>): Promise<FeedPart> {
    const shared = this.#parts.get(place);
    if (shared) return shared;
    const part = read();
    this.#parts.set(place, part);
    // Another look may find more behind a place that nobody has moved on from.
    const forget = () => this.#parts.delete(place);
    part.then(({ cursor }) => cursor.seq === from && forget(), forget);
    return part;
  }
}
