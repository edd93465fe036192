/** The longest that a scrape waits for a value that is being read; its own timeout is 10 s unless set otherwise. */
const waitMsDefault = 2_000;

export interface RecentOptions {
  /** How long a value is used again. */
  keptMs: number;
  /** The longest that a reader waits. */
  waitMs?: number;
}

/**
 * A value that is read from elsewhere at most once in `keptMs`, however many ask: for metrics, which anyone may scrape as
 * often as they like. Undefined where it cannot be read, or not in time.
 */
export class Recent<Value> {
  readonly #read: () => Promise<Value>;
  readonly #keptMs: number;
  readonly #waitMs: number;
  #reading: Promise<Value | undefined> | undefined;
  #readAt = -Infinity;

  constructor(read: () => Promise<Value>, { keptMs, waitMs = waitMsDefault }: RecentOptions) {
    this.#read = read;
    this.#keptMs = keptMs;
    this.#waitMs = waitMs;
  }

  /** Never rejects. */
  async get(): Promise<Value | undefined> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), this.#waitMs);
    try {
      return await Promise.race([this.#latest(), promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** One that is still being read is not asked for again, however long that takes. */
  #latest(): Promise<Value | undefined> {
    if (this.#reading && performance.now() - this.#readAt < this.#keptMs) return this.#reading;
    this.#readAt = Infinity;
    this.#reading = this.#read()
      .catch(() => undefined)
      .finally(() => (this.#readAt = performance.now()));
    return this.#reading;
  }
}
