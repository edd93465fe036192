import { type Db, isInDoubt, isOutage, isUnavailable } from '@relata/db';
import { type Messaging, runsPerMessageMax, runsReady } from '@relata/messaging';
import { Batcher } from '@relata/runtime';
import { type Tracing, tracing } from '@relata/telemetry';
import { type NewDelivery, storeDeliveries } from '@relata/workflows/intake';
import type { IngestMetrics } from '../ingest.metrics.ts';
import { storeUntilKnown } from './doubt.ts';

/** Maximum number of deliveries per commit, and maximum number of their bytes. */
const batchItemsMax = 100;
const batchBytesMax = 1_000_000;
const waitingItemsMax = 5_000;
const waitingBytesMax = 64_000_000;
/** Estimated bytes of a delivery without its body and inputs, and of each of its runs. */
const overheadBytes = 500;
/** Factor by which a skipped workflow counts more than a run: it may list ten problems with long paths. */
const problemsFactor = 4;

export interface DeliveryStoreOptions {
  db: Db;
  messaging: Messaging;
  metrics: IngestMetrics;
}

/**
 * Stores deliveries with their runs, waiting ones together in one commit, and then notifies the workers. If a delivery
 * repeats a stored one, `add` resolves without storing it again.
 */
export class DeliveryStore {
  readonly #batcher: Batcher<NewDelivery, void | Promise<void>>;
  readonly #options: DeliveryStoreOptions;

  constructor(options: DeliveryStoreOptions) {
    this.#options = options;
    this.#batcher = new Batcher({
      run: (deliveries) => this.#store(deliveries),
      isItemFault: (error) => !isUnavailable(error),
      isOutage,
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

  /** Resolves once the delivery is committed. */
  async add(delivery: NewDelivery): Promise<void> {
    await (tracing ? this.#addTraced(delivery, tracing) : this.#batcher.add(delivery));
  }

  /** Stores a delivery within a span. Its runs are part of the span, whichever worker executes them. */
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
      // Runs concurrently with the next batches, which then need not wait until the database is available again.
      const stored = this.#storeUntilKnown(deliveries);
      return deliveries.map(() => stored);
    }
  }

  /** Stores deliveries in doubt. It is no longer known which of them were new, so all count as new. */
  async #storeUntilKnown(deliveries: NewDelivery[]): Promise<void> {
    await storeUntilKnown(this.#options.db, deliveries);
    this.#stored(deliveries, new Set(deliveries.map(({ id }) => id)));
  }

  #stored(deliveries: readonly NewDelivery[], created: ReadonlySet<string>): void {
    this.#options.metrics.stored(deliveries.length, created.size);
    this.#notifyWorkers(deliveries.filter(({ id }) => created.has(id)));
  }

  /**
   * Notifies the workers. Nothing waits for this: if a message is lost, its runs are found in the database a few
   * seconds later.
   */
  #notifyWorkers(deliveries: readonly NewDelivery[]): void {
    const { messaging, metrics } = this.#options;
    const runs = deliveries.flatMap(({ orgId, runs: made }) => made.map(({ id }): [string, string] => [orgId, id]));
    for (let at = 0; at < runs.length; at += runsPerMessageMax)
      metrics.notified(messaging.enqueue(runsReady, { runs: runs.slice(at, at + runsPerMessageMax) }));
  }
}

/** Returns the estimated bytes of a delivery with the inputs of each run; they are less than `waitingBytesMax`. */
function bytesOf({ body, runs, skipped }: NewDelivery): number {
  const base = body.length + overheadBytes * (1 + runs.length + skipped.length * problemsFactor);
  return runs.reduce((bytes, { inputs }) => bytes + inputs.length, base);
}
