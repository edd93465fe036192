/** The queue is full: whoever asks must come back later. Nothing of it was done. */
export class QueueFullError extends Error {
  override name = 'QueueFullError';
}

export interface BatcherOptions<Item, Result> {
  /** Does a batch as a whole, or throws with nothing done; results in the order of the items. */
  run(items: Item[]): Promise<Result[]>;
  /** Whether a failed batch is worth doing again item by item, so that one bad item hurts only itself. */
  isItemFault(error: unknown): boolean;
  itemsMax: number;
  /** Batches at once. */
  flushers: number;
  /** Items that may wait; one more is refused. */
  waitingMax: number;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Gathers what waits anyway and does it together: a batch starts as soon as a flusher is free, so nothing is ever
 * delayed to fill one.
 */
export class Batcher<Item, Result> {
  #waiting: Waiting<Item, Result>[] = [];
  #busy = 0;
  #isScheduled = false;
  readonly #options: BatcherOptions<Item, Result>;

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  add(item: Item): Promise<Result> {
    if (this.#waiting.length >= this.#options.waitingMax)
      return Promise.reject(new QueueFullError('The queue is full.'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#schedule();
    });
  }

  /** Requests that arrived in one turn of the event loop share a batch. */
  #schedule(): void {
    if (this.#isScheduled || this.#busy >= this.#options.flushers) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#startAll();
    });
  }

  #startAll(): void {
    while (this.#busy < this.#options.flushers && this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#options.itemsMax);
      this.#busy++;
      void this.#settle(batch).finally(() => {
        this.#busy--;
        if (this.#waiting.length > 0) this.#schedule();
      });
    }
  }

  async #settle(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.run(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index]!));
    } catch (error) {
      if (batch.length === 1 || !this.#options.isItemFault(error)) for (const { reject } of batch) reject(error);
      else for (const waiting of batch) await this.#settle([waiting]);
    }
  }
}
