/** Maximum number of organizations per period. A further one begins a new period. */
const organizationsMax = 10_000;

/** Time that each organization has taken in the current period, in milliseconds. */
export class RecentTime {
  readonly #periodMs: number;
  readonly #took = new Map<string, number>();
  #total = 0;
  #since = 0;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** Begins a new period if the current one is over. */
  update(now: number): void {
    if (now - this.#since <= this.#periodMs && this.#took.size <= organizationsMax) return;
    this.#took.clear();
    this.#total = 0;
    this.#since = now;
  }

  add(name: string, ms: number): void {
    this.#took.set(name, this.of(name) + ms);
    this.#total += ms;
  }

  of(name: string): number {
    return this.#took.get(name) ?? 0;
  }

  /** Returns true if the organization has taken less time than the average. */
  isLight(name: string): boolean {
    const count = this.#took.size + (this.#took.has(name) ? 0 : 1);
    return this.of(name) < this.#total / count;
  }
}
