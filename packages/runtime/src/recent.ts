import { unlessAborted } from './unless-aborted.ts';

/** Maximum time for which a scrape waits for a value; Prometheus itself gives up after 10 s by default. */
const waitMsDefault = 2_000;

export interface RecentOptions {
  /** Time for which a value is reused. */
  keptMs: number;
  /** Maximum time for which a caller waits. */
  waitMs?: number;
}

/**
 * A value that is read at most once per `keptMs`, however many callers there are. It is used for metrics, which may be
 * scraped at any rate. The value is undefined if it cannot be read in time.
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

  /** Returns the value; never rejects. */
  get(): Promise<Value | undefined> {
    return unlessAborted(this.#latest(), AbortSignal.timeout(this.#waitMs)).catch(() => undefined);
  }

  /** Returns the running read or the last result, if that is recent; otherwise starts a new read. */
  #latest(): Promise<Value | undefined> {
    if (this.#reading && performance.now() - this.#readAt < this.#keptMs) return this.#reading;
    this.#readAt = Infinity;
    this.#reading = this.#read()
      .catch(() => undefined)
      .finally(() => (this.#readAt = performance.now()));
    return this.#reading;
  }
}
