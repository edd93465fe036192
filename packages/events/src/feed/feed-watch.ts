import type { Position } from './feed.sql.ts';

/** How far a feed is settled, and the newest event up to there. */
export interface FeedHead {
  settled: number;
  newest: Position | undefined;
}

interface Waiting {
  seq: number;
  resolve(head: FeedHead | undefined): void;
  reject(error: unknown): void;
}

/** How long an event may be settled before who waits for it sees it, where no message came. */
const lookEveryMs = 250;
/** Looks of an organization that writes all the time are this far apart. */
const lookAtMostEveryMs = 50;

/** The looks at one organization's feed, which all who follow it share. */
export class FeedWatch {
  readonly #find: (last: FeedHead | undefined) => Promise<FeedHead>;
  readonly #waiting = new Set<Waiting>();
  #head: FeedHead | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #isWoken = false;
  // Who begins to follow has just looked.
  #lookedAt = performance.now();
  followers = 0;

  /** `find` is given what it found the last time. */
  constructor(find: (last: FeedHead | undefined) => Promise<FeedHead>) {
    this.#find = find;
  }

  /**
   * Resolves once an event behind `seq` is settled, or with undefined once the signal is aborted. Rejects where looking
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
    this.#plan();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** Looks as soon as it may: something was written. */
  wake(): void {
    this.#isWoken = true;
    this.#plan();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #plan(): void {
    if (this.#isLooking || this.#waiting.size === 0) return;
    clearTimeout(this.#timer);
    const dueAt = this.#lookedAt + (this.#isWoken ? lookAtMostEveryMs : lookEveryMs);
    this.#timer = setTimeout(() => void this.#look(), Math.max(0, dueAt - performance.now()));
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    this.#isWoken = false;
    try {
      this.#show((this.#head = await this.#find(this.#head)));
    } catch (error) {
      for (const { reject } of this.#waiting) reject(error);
      this.#waiting.clear();
    }
    this.#lookedAt = performance.now();
    this.#isLooking = false;
    this.#plan();
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
  return newest !== undefined && newest.seq > seq;
}
