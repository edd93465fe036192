import { limitConsumed, type Messaging } from '@relata/messaging';

interface PaceBounds {
  /** Attempts that need not wait. */
  free: number;
  /** The longest time between two attempts; one attempt is forgotten in so long. */
  mostMs: number;
}

interface Attempts {
  /** Attempts that are not forgotten yet, as of the last one. */
  level: number;
  lastAtMs: number;
}

/** Keys that are kept; those that were used longest ago are forgotten first. */
const keysMax = 100_000;
const firstDelayMs = 1_000;
/** Attempts beyond those that need not wait; with more of them the delay is the longest anyway. */
const delayedMax = 8;

/**
 * Spaces attempts by key: the more there were of late, the longer until the next, up to a bound. It never locks. Each
 * replica publishes what it lets through, and counts what the others let through as its own.
 */
export class SharedPace {
  readonly #attempts = new Map<string, Attempts>();
  readonly #name: string;
  readonly #bounds: PaceBounds;
  readonly #messaging: Messaging;

  constructor(name: string, bounds: PaceBounds, messaging: Messaging) {
    this.#name = name;
    this.#bounds = bounds;
    this.#messaging = messaging;
    messaging.subscribe(limitConsumed, ({ limit, counts }) => {
      if (limit !== name) return;
      for (const [key, count] of Object.entries(counts)) if (count > 0) this.#add(key, count);
    });
  }

  /** Attempts that are not forgotten yet. */
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

  /** Counts an attempt. */
  take(key: string): void {
    this.#add(key, 1);
    this.#messaging.publish(limitConsumed, { limit: this.#name, counts: { [key]: 1 } });
  }

  /** Takes back an attempt that was no guess; other replicas go on counting it, which delays nobody for long. */
  giveBack(key: string): void {
    this.#add(key, -1);
  }

  #add(key: string, count: number): void {
    const level = Math.min(this.#bounds.free + delayedMax, Math.max(0, this.levelOf(key) + count));
    // The newest is last.
    this.#attempts.delete(key);
    this.#attempts.set(key, { level, lastAtMs: Date.now() });
    if (this.#attempts.size > keysMax) this.#attempts.delete(this.#attempts.keys().next().value!);
  }
}
