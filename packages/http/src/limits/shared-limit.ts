import { limitConsumed, limitKeysMax, type Messaging } from '@relata/messaging';
import type { RateLimit } from '@relata/runtime';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { OthersCounts } from './others-counts.ts';

/** A request that was counted against a limit, and what is left of the limit. */
export class Taken {
  readonly limit: SharedLimit;
  readonly #key: string;
  readonly isAllowed: boolean;
  remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;

  constructor(limit: SharedLimit, key: string, isAllowed: boolean, { remainingPoints, msBeforeNext }: RateLimiterRes) {
    this.limit = limit;
    this.#key = key;
    this.isAllowed = isAllowed;
    this.remaining = remainingPoints;
    this.resetSeconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  }

  /** Stops counting the request against the limit. */
  giveBack(): void {
    this.limit.giveBack(this.#key);
    this.remaining++;
  }

  /** Counts further requests against the limit, even beyond it, for a request that counts as several. */
  charge(requests: number): void {
    this.limit.charge(this.#key, requests);
    this.remaining = Math.max(0, this.remaining - requests);
  }
}

/** Name of a limit as clients see it, and the value of its `RateLimit-Policy` header. */
interface Policy {
  name: string;
  field: string;
}

/**
 * Counts are published at this interval, and as soon as the unpublished requests of a key reach this share of the
 * limit. Both values bound how far a limit can be exceeded.
 */
const publishEveryMs = 100;
const publishAtShare = 0.05;

/**
 * A rate limit across all replicas. Each replica counts in memory, publishes every 100 ms how many requests it
 * admitted, and adds the counts that the others publish. So no request waits for another process.
 */
export class SharedLimit implements Disposable {
  readonly #name: string;
  readonly points: number;
  readonly policy: Policy;
  readonly #limiter: RateLimiterMemory;
  readonly #messaging: Messaging;
  readonly #timer: NodeJS.Timeout;
  /** Admitted requests that are not published yet, by key. */
  #unpublished = new Map<string, number>();
  readonly #others = new OthersCounts();

  /** `name` identifies the limit among replicas; clients see `policyName`. */
  constructor(
    name: string,
    { points, windowMs }: NonNullable<RateLimit>,
    messaging: Messaging,
    policyName = 'default',
  ) {
    this.#name = name;
    this.points = points;
    // `RateLimit-Policy` has its window in whole seconds (draft-ietf-httpapi-ratelimit-headers-11).
    this.policy = { name: policyName, field: `"${policyName}";q=${points};w=${Math.ceil(windowMs / 1_000)}` };
    this.#limiter = new RateLimiterMemory({ points, duration: windowMs / 1_000 });
    this.#messaging = messaging;
    this.#timer = setInterval(() => this.#publish(), publishEveryMs).unref();
    messaging.subscribe(limitConsumed, ({ limit, counts }) => {
      if (limit === name) this.#receive(counts);
    });
  }

  async take(key: string): Promise<Taken> {
    try {
      const result = await this.#limiter.consume(key);
      const unpublished = (this.#unpublished.get(key) ?? 0) + 1;
      this.#unpublished.set(key, unpublished);
      // A burst that would soon use up a limit is published at once.
      if (unpublished >= this.points * publishAtShare) this.#publish();
      return new Taken(this, key, true, result);
    } catch (result) {
      if (!(result instanceof RateLimiterRes)) throw result;
      // A refused request is not counted. Otherwise giving a request back would not make room for another.
      void this.#limiter.reward(key, 1);
      return new Taken(this, key, false, result);
    }
  }

  /** Gives back a request that had no effect, so that it does not count. */
  giveBack(key: string): void {
    void this.#limiter.reward(key, 1);
    this.#unpublished.set(key, (this.#unpublished.get(key) ?? 0) - 1);
  }

  /** Counts further requests for an admitted request, even beyond the limit. */
  charge(key: string, requests: number): void {
    void this.#limiter.penalty(key, requests);
    this.#unpublished.set(key, (this.#unpublished.get(key) ?? 0) + requests);
  }

  /**
   * Counts requests of other replicas. A message counts at most as many requests as the limit, and takes back only
   * requests that messages counted before. So it can neither affect another window nor release requests that this
   * replica counted itself.
   */
  #receive(counts: Record<string, number>): void {
    for (const [key, count] of Object.entries(counts)) {
      if (count > 0) void this.#count(key, Math.min(count, this.points));
      else this.#takeBack(key, Math.min(-count, this.points));
    }
  }

  async #count(key: string, count: number): Promise<void> {
    const { msBeforeNext } = await this.#limiter.penalty(key, count);
    this.#others.add(key, count, msBeforeNext);
  }

  #takeBack(key: string, count: number): void {
    const known = this.#others.takeBack(key, count);
    if (known > 0) void this.#limiter.reward(key, known);
  }

  #publish(): void {
    const counts = [...this.#unpublished];
    for (let at = 0; at < counts.length; at += limitKeysMax)
      this.#messaging.publish(limitConsumed, {
        limit: this.#name,
        counts: Object.fromEntries(counts.slice(at, at + limitKeysMax)),
      });
    this.#unpublished = new Map();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#publish();
  }
}
