import { Loop } from '@relata/runtime';
import type { Position } from './feed.sql.ts';

/** The position up to which a feed is settled, and the newest event up to there. */
export interface FeedHead {
  settled: number;
  newest: Position | null;
}

interface Waiting {
  seq: number;
  resolve(head: FeedHead | undefined): void;
  reject(error: unknown): void;
}

/** Maximum delay until a waiting reader sees a settled event if no message arrives. */
const lookEveryMs = 250;
/** Minimum time between two looks at the feed of an organization that writes continuously. */
const lookAtMostEveryMs = 50;

/** Watches one organization's feed for new events, on behalf of all its followers. */
export class FeedWatch {
  readonly #find: (last: FeedHead | undefined) => Promise<FeedHead>;
  readonly #waiting = new Set<Waiting>();
  #head: FeedHead | undefined;
  #isWoken = false;
  // A new follower has just read the feed.
  #lookedAt = performance.now();
  // Errors reject the promises of waiting readers, so they are not reported here.
  readonly #loop = new Loop(
    () => this.#lookInTime(),
    () => undefined,
  );
  followers = 0;

  /** `find` receives its previous result. */
  constructor(find: (last: FeedHead | undefined) => Promise<FeedHead>) {
    this.#find = find;
  }

  /**
   * Resolves once an event after `seq` is settled, or with undefined once the signal is aborted. Rejects if a look
   * failed.
   */
  async next(seq: number, signal: AbortSignal): Promise<FeedHead | undefined> {
    if (signal.aborted) return undefined;
    if (this.#head && isAhead(this.#head, seq)) return this.#head;
    const { promise, resolve, reject } = Promise.withResolvers<FeedHead | undefined>();
    const waiting = { seq, resolve, reject };
    const leave = () => {
      this.#waiting.delete(waiting);
      resolve(undefined);
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#waiting.add(waiting);
    this.#loop.start().wake();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** Looks for new events as soon as `lookAtMostEveryMs` permits. Call it after events were written. */
  wake(): void {
    this.#isWoken = true;
    this.#loop.wake();
  }

  stop(): void {
    void this.#loop[Symbol.asyncDispose]();
  }

  /** Looks for new events if it is time; returns the milliseconds until the next look. */
  async #lookInTime(): Promise<number> {
    if (this.#waiting.size === 0) return Infinity;
    const waitMs = this.#lookedAt + (this.#isWoken ? lookAtMostEveryMs : lookEveryMs) - performance.now();
    if (waitMs > 0) return waitMs;
    this.#isWoken = false;
    try {
      this.#show((this.#head = await this.#find(this.#head)));
    } catch (error) {
      for (const { reject } of this.#waiting) reject(error);
      this.#waiting.clear();
    }
    this.#lookedAt = performance.now();
    return 0;
  }

  #show(head: FeedHead): void {
    for (const waiting of this.#waiting) {
      if (!isAhead(head, waiting.seq)) continue;
      this.#waiting.delete(waiting);
      waiting.resolve(head);
    }
  }
}

function isAhead({ newest }: FeedHead, seq: number): boolean {
  return newest !== null && newest.seq > seq;
}
