import type { Position } from './feed.sql.ts';

/** The position up to which a feed is settled, and the newest event up to there. */
export interface FeedHead {
  settled: number;
  newest: Position | undefined;
}

interface Waiting {
  seq: number;
  resolve(head: FeedHead | undefined): void;
  reject(error: unknown): void;
}

/** Maximum delay until a waiting reader sees a settled event if no message arrives. */
const lookEveryMs = 250;
/** Minimum time between two looks for an organization that writes continuously. */
const lookAtMostEveryMs = 50;

/** The looks at one organization's feed, shared by all its followers. */
export class FeedWatch {
  readonly #find: (last: FeedHead | undefined) => Promise<FeedHead>;
  readonly #waiting = new Set<Waiting>();
  #head: FeedHead | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #isWoken = false;
  // A new follower has just looked.
  #lookedAt = performance.now();
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
    this.#plan();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** Looks as soon as permitted, since something was written. */
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
