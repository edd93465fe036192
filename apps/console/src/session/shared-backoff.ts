import { limitConsumed, type Messaging } from '@relata/messaging';

interface BackoffBounds {
  /** Number of attempts that need not wait. */
  free: number;
  /**
   * Maximum delay in ms between two attempts, before any factor. Also the time after which one attempt is forgotten.
   */
  mostMs: number;
}

interface Attempts {
  /** Number of attempts not forgotten yet, at the time of the last one. */
  level: number;
  lastAtMs: number;
}

/** Maximum number of keys. Beyond it, those with the fewest recent attempts are forgotten first. */
const keysMax = 100_000;
/** Minimum number of keys to forget when there are too many. Keys with equally many attempts are forgotten together. */
const forgottenAtOnce = 10_000;
const firstDelayMs = 1_000;
/** Maximum number of counted attempts beyond the free ones; more would not increase the delay. */
const delayedMax = 8;

/**
 * Spaces attempts by key: the more recent attempts, the longer the delay until the next attempt, up to a limit. It
 * never locks a key out. Each replica publishes the attempts that it admits, and counts those of other replicas, too.
 */
export class SharedBackoff {
  readonly #attempts = new Map<string, Attempts>();
  readonly #name: string;
  readonly #bounds: BackoffBounds;
  readonly #messaging: Messaging;

  constructor(name: string, bounds: BackoffBounds, messaging: Messaging) {
    this.#name = name;
    this.#bounds = bounds;
    this.#messaging = messaging;
    messaging.subscribe(limitConsumed, ({ limit, counts }) => {
      if (limit !== name) return;
      for (const [key, count] of Object.entries(counts)) if (count > 0) this.#add(key, count);
    });
  }

  /** Returns the number of attempts that are not forgotten yet. */
  levelOf(key: string): number {
    const found = this.#attempts.get(key);
    return found ? Math.max(0, found.level - (Date.now() - found.lastAtMs) / this.#bounds.mostMs) : 0;
  }

  /** Returns the milliseconds until the next attempt; 0 if it may be made now. `factor` lengthens the delay. */
  waitOf(key: string, factor = 1): number {
    const { free, mostMs } = this.#bounds;
    const level = this.levelOf(key);
    if (level < free) return 0;
    const delayMs = factor * Math.min(mostMs, firstDelayMs * 2 ** (level - free));
    return Math.max(0, this.#attempts.get(key)!.lastAtMs + delayMs - Date.now());
  }

  take(key: string): void {
    this.#add(key, 1);
    this.#messaging.publish(limitConsumed, { limit: this.#name, counts: { [key]: 1 } });
  }

  /**
   * Takes back an attempt that was not a wrong guess. Other replicas continue to count it, which delays nobody for
   * long.
   */
  giveBack(key: string): void {
    this.#add(key, -1);
  }

  #add(key: string, count: number): void {
    const level = Math.min(this.#bounds.free + delayedMax, Math.max(0, this.levelOf(key) + count));
    if (level === 0) return void this.#attempts.delete(key);
    this.#attempts.set(key, { level, lastAtMs: Date.now() });
    if (this.#attempts.size > keysMax) this.#forgetLowest();
  }

  #forgetLowest(): void {
    const levels = Float64Array.from(this.#attempts.keys(), (key) => this.levelOf(key)).toSorted();
    const highest = levels[forgottenAtOnce - 1]!;
    for (const key of this.#attempts.keys()) if (this.levelOf(key) <= highest) this.#attempts.delete(key);
  }
}
