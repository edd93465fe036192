import { type Db, isOutage } from '@relata/db';
import { Batcher } from '@relata/runtime';
import { areKeysKnown, type GivenKey } from '@relata/workflows/intake';
import type { IngestMetrics } from '../ingest.metrics.ts';

/**
 * Finds the deliveries that repeat a stored one, without storing them. Waiting look-ups share a statement: the posts
 * that need one are refused otherwise, and refused posts count towards no rate limit.
 */
export class KnownRepeats {
  readonly #lookUps: Batcher<GivenKey, boolean>;
  readonly #metrics: IngestMetrics;

  constructor({ db, metrics }: { db: Db; metrics: IngestMetrics }) {
    this.#metrics = metrics;
    this.#lookUps = new Batcher({
      run: (keys) => areKeysKnown(db, keys),
      isItemFault: () => false,
      isOutage,
      itemsMax: 100,
      flushers: 1,
      waitingMax: 5_000,
      partyOf: ({ orgId, triggerId }) => [orgId, triggerId],
    });
  }

  /** Returns true if the delivery repeats a stored one, by its repeat key. */
  async has({ orgId, triggerId, keyHash }: Omit<GivenKey, 'keyHash'> & { keyHash: string | undefined }) {
    const isKnown = keyHash !== undefined && (await this.#lookUps.add({ orgId, triggerId, keyHash }));
    if (isKnown) this.#metrics.repeated();
    return isKnown;
  }
}
