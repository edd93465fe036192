const sweepEveryMs = 10_000;

/** Requests that other replicas admitted in the current windows, by key. */
export class OthersCounts {
  readonly #counts = new Map<string, { count: number; endsAtMs: number }>();
  #sweepAtMs = 0;

  add(key: string, count: number, msBeforeNext: number): void {
    const nowMs = Date.now();
    if (nowMs >= this.#sweepAtMs) this.#sweep(nowMs);
    const before = this.#countAt(key, nowMs);
    this.#counts.set(key, { count: before + count, endsAtMs: nowMs + msBeforeNext });
  }

  /** Takes back up to `count` requests, and returns how many of them had been counted. */
  takeBack(key: string, count: number): number {
    const known = Math.min(count, this.#countAt(key, Date.now()));
    if (known > 0) this.#counts.get(key)!.count -= known;
    return known;
  }

  #countAt(key: string, nowMs: number): number {
    const found = this.#counts.get(key);
    return found && found.endsAtMs > nowMs ? found.count : 0;
  }

  #sweep(nowMs: number): void {
    this.#sweepAtMs = nowMs + sweepEveryMs;
    for (const [key, { endsAtMs }] of this.#counts) if (endsAtMs <= nowMs) this.#counts.delete(key);
  }
}
