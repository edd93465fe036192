/** The queue is full: whoever asks must come back later. Nothing of it was done. */
export class QueueFullError extends Error {
  override name = 'QueueFullError';
}

export interface BatcherOptions<Item, Result> {
  /** Does a batch as a whole, or throws with nothing done; results in the order of the items. */
  run(items: Item[]): Promise<Result[]>;
  /** Whether a failed batch is worth doing again in parts, so that one bad item hurts only itself. */
  isItemFault(error: unknown): boolean;
  itemsMax: number;
  /** Batches at once. */
  flushers: number;
  /** Items that may wait; one more is refused. */
  waitingMax: number;
  /** Bounds in bytes or characters, where items differ: an item that outweighs a batch goes alone. */
  weight?: { of(item: Item): number; batchMax: number; waitingMax: number };
}

interface Waiting<Item, Result> {
  item: Item;
  weight: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Gathers what waits anyway and does it together: a batch starts as soon as a flusher is free, so nothing is ever
 * delayed to fill one.
 */
export class Batcher<Item, Result> {
  #waiting: Waiting<Item, Result>[] = [];
  #waitingWeight = 0;
  #busy = 0;
  #isScheduled = false;
  readonly #options: BatcherOptions<Item, Result>;

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  /** Items that wait for a flusher. */
  get waiting(): number {
    return this.#waiting.length;
  }

  add(item: Item): Promise<Result> {
    const weight = this.#options.weight?.of(item) ?? 0;
    if (!this.#hasRoomFor(weight)) return Promise.reject(new QueueFullError('The queue is full.'));
    this.#waitingWeight += weight;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, weight, resolve, reject });
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
      const batch = this.#takeBatch();
      this.#busy++;
      void this.#settle(batch).finally(() => {
        this.#busy--;
        if (this.#waiting.length > 0) this.#schedule();
      });
    }
  }

  #hasRoomFor(weight: number): boolean {
    const { waitingMax, weight: limits } = this.#options;
    return this.#waiting.length < waitingMax && this.#waitingWeight + weight <= (limits?.waitingMax ?? Infinity);
  }

  #takeBatch(): Waiting<Item, Result>[] {
    const { itemsMax, weight: limits } = this.#options;
    const weightMax = limits?.batchMax ?? Infinity;
    let [count, total] = [0, 0];
    for (const { weight } of this.#waiting) {
      if (count === itemsMax || (count > 0 && total + weight > weightMax)) break;
      count++;
      total += weight;
    }
    this.#waitingWeight -= total;
    return this.#waiting.splice(0, count);
  }

  async #settle(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.run(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index]!));
    } catch (error) {
      if (batch.length > 1 && this.#options.isItemFault(error)) return this.#settleHalves(batch);
      for (const { reject } of batch) reject(error);
    }
  }

  /** Finds the items at fault in a few steps, and does the others. */
  async #settleHalves(batch: Waiting<Item, Result>[]): Promise<void> {
    const middle = batch.length >> 1;
    await this.#settle(batch.slice(0, middle));
    await this.#settle(batch.slice(middle));
  }
}
