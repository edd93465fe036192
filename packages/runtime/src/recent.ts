import { unlessAborted } from './unless-aborted.ts';

/** Longest time that a scrape waits for a value; Prometheus itself gives up after 10 s by default. */
const waitMsDefault = 2_000;

export interface RecentOptions {
  /** Time for which a value is reused. */
  keptMs: number;
  /** Longest time that a caller waits. */
  waitMs?: number;
}

/**
 * A value that is read at most once per `keptMs`, however many callers there are: for metrics, which anyone may scrape
 * at any rate. It is undefined if it cannot be read, or not in time.
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
  get(): Promise<Value | undefined> {
    return unlessAborted(this.#latest(), AbortSignal.timeout(this.#waitMs)).catch(() => undefined);
  }

  /** Returns the recent value or the running read, however long the read takes; otherwise starts a new read. */
  #latest(): Promise<Value | undefined> {
    if (this.#reading && performance.now() - this.#readAt < this.#keptMs) return this.#reading;
    this.#readAt = Infinity;
    this.#reading = this.#read()
      .catch(() => undefined)
      .finally(() => (this.#readAt = performance.now()));
    return this.#reading;
  }
}
