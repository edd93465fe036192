import { type Db, isInDoubt, isDatabaseOutage, isUnavailable } from '@relata/db';
import { type Messaging, runsPerMessageMax, runsReady } from '@relata/messaging';
import { Batcher } from '@relata/runtime';
import { type Tracing, tracing } from '@relata/telemetry';
import { type NewDelivery, storeDeliveries } from '@relata/workflows/intake';
import type { IngestMetrics } from '../ingest.metrics.ts';
import { storeUntilKnown } from './store-until-known.ts';

/** Maximum number of deliveries per commit, and maximum of their total size in bytes. */
const batchItemsMax = 100;
const batchBytesMax = 1_000_000;
const waitingItemsMax = 5_000;
const waitingBytesMax = 64_000_000;
/** Estimated size, in bytes, of a delivery without its body and inputs, and of each of its runs. */
const overheadBytes = 500;
/**
 * Number of runs that a skipped workflow counts as when sizes are estimated: it may list ten problems with long paths.
 */
const problemsFactor = 4;

export interface DeliveryStoreOptions {
  db: Db;
  messaging: Messaging;
  metrics: IngestMetrics;
}

/**
 * Stores deliveries with their runs, and then notifies the workers. Deliveries that wait at the same time share a
 * commit. If a delivery repeats a stored one, `add` resolves without storing it again.
 */
export class DeliveryStore {
  readonly #batcher: Batcher<NewDelivery, void | Promise<void>>;
  readonly #options: DeliveryStoreOptions;

  constructor(options: DeliveryStoreOptions) {
    this.#options = options;
    this.#batcher = new Batcher({
      run: (deliveries) => this.#store(deliveries),
      isItemFault: (error) => !isUnavailable(error),
      isOutage: isDatabaseOutage,
      itemsMax: batchItemsMax,
      flushers: 2,
      waitingMax: waitingItemsMax,
      partyOf: ({ orgId, triggerId }) => [orgId, triggerId],
      weight: { of: bytesOf, batchMax: batchBytesMax, waitingMax: waitingBytesMax },
    });
  }

  get waiting(): number {
    return this.#batcher.waiting;
  }

  /** Stores a delivery. Resolves once it is committed. */
  async add(delivery: NewDelivery): Promise<void> {
    await (tracing ? this.#addTraced(delivery, tracing) : this.#batcher.add(delivery));
  }

  /** Stores a delivery within a span, which is the parent of its runs in every worker. */
  #addTraced(delivery: NewDelivery, on: Tracing): Promise<void> {
    const attributes = {
      'relata.org_id': delivery.orgId,
      'relata.trigger.id': delivery.triggerId,
      'relata.delivery.id': delivery.id,
      'relata.delivery.runs': delivery.runs.length,
    };
    return on.span('store delivery', { kind: 'producer', attributes }, async ({ traceparent }) => {
      await this.#batcher.add({ ...delivery, traceparent });
    });
  }

  async #store(deliveries: NewDelivery[]): Promise<(void | Promise<void>)[]> {
    const { db } = this.#options;
    try {
      const created = await storeDeliveries(db, deliveries);
      this.#stored(deliveries, created);
      return deliveries.map(() => undefined);
    } catch (error) {
      if (!isInDoubt(error)) throw error;
      // This is not awaited, so that the next batches need not wait until the database is available again.
      const stored = this.#storeUntilKnown(deliveries);
      return deliveries.map(() => stored);
    }
  }

  /** Stores deliveries that may already be stored. It is not known which of them were repeats, so all count as new. */
  async #storeUntilKnown(deliveries: NewDelivery[]): Promise<void> {
    await storeUntilKnown(this.#options.db, deliveries);
    this.#stored(deliveries, new Set(deliveries.map(({ id }) => id)));
  }

  #stored(deliveries: readonly NewDelivery[], created: ReadonlySet<string>): void {
    this.#options.metrics.stored(deliveries.length, created.size);
    this.#notifyWorkers(deliveries.filter(({ id }) => created.has(id)));
  }

  /**
   * Notifies the workers, without waiting for confirmation. If a message is lost, the workers find its runs in the
   * database a few seconds later.
   */
  #notifyWorkers(deliveries: readonly NewDelivery[]): void {
    const { messaging, metrics } = this.#options;
    const runs = deliveries.flatMap(({ orgId, runs: made }) => made.map(({ id }): [string, string] => [orgId, id]));
    for (let at = 0; at < runs.length; at += runsPerMessageMax)
      metrics.notified(messaging.enqueue(runsReady, { runs: runs.slice(at, at + runsPerMessageMax) }));
  }
}

/**
 * Returns the estimated size, in bytes, of a delivery with the inputs of its runs. It is always less than
 * `waitingBytesMax`.
 */
function bytesOf({ body, runs, skipped }: NewDelivery): number {
  const base = body.length + overheadBytes * (1 + runs.length + skipped.length * problemsFactor);
  return runs.reduce((bytes, { inputs }) => bytes + inputs.length, base);
}
