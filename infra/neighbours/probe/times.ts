import { quantile } from '@relata/testbed/quantile';
import type { Latencies } from './probe.ts';

export class Times {
  readonly #counted: number[] = [];
  readonly #failures: Record<string, number> = {};
  #asked = 0;
  #longestMs = 0;

  /**
   * Adds the time of a request. `isCounted` is true if the request was due after the ramp-up. The longest time includes
   * the ramp-up.
   */
  add(tookMs: number, isCounted: boolean): void {
    this.#asked++;
    this.#longestMs = Math.max(this.#longestMs, tookMs);
    if (isCounted) this.#counted.push(tookMs);
  }

  addFailure(reason: string): void {
    this.#failures[reason] = (this.#failures[reason] ?? 0) + 1;
  }

  summary(): Latencies {
    const sorted = this.#counted.toSorted((a, b) => a - b);
    return {
      asked: this.#asked,
      count: sorted.length,
      p50Ms: quantile(sorted, 0.5),
      p99Ms: quantile(sorted, 0.99),
      longestMs: this.#longestMs,
      failures: this.#failures,
    };
  }
}
