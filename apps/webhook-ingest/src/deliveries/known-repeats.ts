import { type Db, isDatabaseOutage } from '@relata/db';
import { Batcher } from '@relata/runtime';
import { areKeysKnown, type GivenKey } from '@relata/workflows/intake';
import type { IngestMetrics } from '../ingest.metrics.ts';

/**
 * Finds out whether deliveries repeat stored ones, without storing them. Only posts that would otherwise be refused
 * need this. Refused posts do not count towards the rate limit, so waiting look-ups share a statement to limit the
 * load.
 */
export class KnownRepeats {
  readonly #lookUps: Batcher<GivenKey, boolean>;
  readonly #metrics: IngestMetrics;

  constructor({ db, metrics }: { db: Db; metrics: IngestMetrics }) {
    this.#metrics = metrics;
    this.#lookUps = new Batcher({
      run: (keys) => areKeysKnown(db, keys),
      isItemFault: () => false,
      isOutage: isDatabaseOutage,
      itemsMax: 100,
      flushers: 1,
      waitingMax: 5_000,
      partyOf: ({ orgId, triggerId }) => [orgId, triggerId],
    });
  }

  /** Returns true if a delivery with the same repeat key is stored. */
  async has({ orgId, triggerId, keyHash }: Omit<GivenKey, 'keyHash'> & { keyHash: string | undefined }) {
    const isKnown = keyHash !== undefined && (await this.#lookUps.add({ orgId, triggerId, keyHash }));
    if (isKnown) this.#metrics.repeated();
    return isKnown;
  }
}
