import type { Owner } from './token-usage.sql.ts';

interface Asking {
  tokens: number;
  answer(isGiven: boolean): void;
  fail(error: unknown): void;
}

interface LeaseOptions {
  owner: Owner;
  /** Tokens of the owner's day. */
  most: number;
  /** True if an answer needs all of its tokens; else any rest is enough for one. */
  needsWhole: boolean;
  /** Tokens taken beyond what answers ask for, so that few of them wait for the database. */
  ahead: number;
}

/** An exhausted owner is not looked up again for this long. */
const refusalMs = 1_000;

/** Tokens of one owner that this process has taken in the database and not spent yet. */
export class TokenLease {
  readonly #options: LeaseOptions;
  /** Negative if answers used more than was taken. */
  #left = 0;
  /** Tokens taken beyond the owner's limit: nobody may spend them. */
  #excess = 0;
  #isReturned = false;
  #exhaustedUntil = 0;
  #asking: Asking[] = [];

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  get owner(): Owner {
    return this.#options.owner;
  }

  /** Takes tokens if the answer is known without the database; else returns undefined. */
  tryTake(tokens: number): boolean | undefined {
    if (this.#left >= tokens) {
      this.#left -= tokens;
      return true;
    }
    return performance.now() < this.#exhaustedUntil ? false : undefined;
  }

  /** Waits for the next statement; resolves to false if the owner's day does not hold so many tokens. */
  ask(tokens: number): Promise<boolean> {
    const { promise, resolve: answer, reject: fail } = Promise.withResolvers<boolean>();
    this.#asking.push({ tokens, answer, fail });
    return promise;
  }

  /** Gives tokens back, or charges them if negative. */
  giveBack(tokens: number): void {
    this.#left += tokens;
    if (tokens > 0) this.#exhaustedUntil = 0;
  }

  /** Makes the next statement return all that is not spent. */
  end(): void {
    this.#isReturned = true;
  }

  /** Begins a statement: the change of what the database counts, and what to do with its new total or its failure. */
  begin() {
    const asking = this.#asking;
    this.#asking = [];
    const { ahead } = this.#options;
    const wanted = asking.reduce((sum, { tokens }) => sum + tokens, 0);
    const kept = ahead > 0 && !this.#isReturned ? Math.max(this.#left, 0) : 0;
    const target = Math.max(kept, wanted > 0 ? wanted + ahead : 0);
    const [before, excess] = [this.#left, this.#excess];
    return {
      owner: this.owner,
      tokens: target - before - excess,
      done: (total: number) => {
        this.#excess -= excess;
        this.#left += target - before;
        this.#share(asking, total, this.#left - target + before);
      },
      fail: (error: unknown) => asking.forEach(({ fail }) => fail(error)),
    };
  }

  /** True if the database counts other tokens than it should: it is told within a second. */
  get isUneven(): boolean {
    const isKept = this.#options.ahead > 0 && !this.#isReturned;
    return this.#excess > 0 || this.#left < 0 || (this.#left > 0 && !isKept);
  }

  /** Answers as many as the day holds. What was held before is this process's own, whatever others took since. */
  #share(asking: readonly Asking[], total: number, own: number): void {
    const { most, needsWhole } = this.#options;
    let room = Math.max(own, most - total + this.#left);
    for (const { tokens, answer } of asking) {
      const isGiven = needsWhole ? tokens <= Math.min(room, this.#left) : room > 0;
      if (isGiven) {
        room -= tokens;
        this.#left -= tokens;
      } else if (room <= 0) this.#exhaustedUntil = performance.now() + refusalMs;
      answer(isGiven);
    }
    const excess = Math.min(this.#left, this.#left - room);
    if (excess <= 0) return;
    this.#left -= excess;
    this.#excess += excess;
  }
}
