import { type Database, inSlots } from '@relata/db';
import { Slots } from '@relata/runtime';
import type { EventWatermark } from './event-watermark.ts';
import { findEnds } from './feed.sql.ts';
import { type FeedHead, FeedWatch } from './feed-watch.ts';

/** Maximum number of concurrent looks for new events, at most one per organization. */
const looksMax = 2;

/** Watches of the organizations whose feeds have followers. */
export class FeedWatches {
  readonly #database: Database;
  readonly #watermark: EventWatermark;
  readonly #slots = new Slots(looksMax);
  readonly #watches = new Map<string, FeedWatch>();

  constructor(database: Database, watermark: EventWatermark) {
    this.#database = database;
    this.#watermark = watermark;
  }

  /** Returns the watch of an organization for a new follower, which leaves when the result is disposed of. */
  follow(orgId: string): Disposable & { watch: FeedWatch } {
    const watch = this.#watches.get(orgId) ?? new FeedWatch((last) => this.#find(orgId, last));
    this.#watches.set(orgId, watch);
    watch.followers++;
    return { watch, [Symbol.dispose]: () => this.#leave(orgId, watch) };
  }

  /** Makes the watch of an organization look for new events. Call it after events were written. */
  wake(orgId: string): void {
    this.#watches.get(orgId)?.wake();
  }

  #leave(orgId: string, watch: FeedWatch): void {
    if (--watch.followers > 0) return;
    watch.stop();
    this.#watches.delete(orgId);
  }

  async #find(orgId: string, last: FeedHead | undefined): Promise<FeedHead> {
    const db = inSlots(this.#database.of(orgId), this.#slots, orgId);
    const settled = await this.#watermark.settled(db, orgId);
    if (settled === last?.settled) return last;
    const { newest } = await findEnds(db, orgId, settled);
    return { settled, newest };
  }
}
