import type { Owner } from './token-usage.sql.ts';

interface Asking {
  tokens: number;
  answer(isGiven: boolean): void;
  fail(error: unknown): void;
}

interface LeaseOptions {
  owner: Owner;
  /** Daily tokens of the owner. */
  most: number;
  /** True if an answer needs all of its tokens; otherwise any rest is enough for one. */
  needsWhole: boolean;
  /** Tokens taken beyond those that answers ask for, so that few answers wait for the database. */
  ahead: number;
}

/** Time for which an exhausted owner is not looked up again. */
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

  /** Takes tokens if this can be decided without the database; otherwise returns undefined. */
  tryTake(tokens: number): boolean | undefined {
    if (this.#left >= tokens) {
      this.#left -= tokens;
      return true;
    }
    return performance.now() < this.#exhaustedUntil ? false : undefined;
  }

  /** Waits for the next statement; resolves to false if the owner's day does not have so many tokens left. */
  ask(tokens: number): Promise<boolean> {
    const { promise, resolve: answer, reject: fail } = Promise.withResolvers<boolean>();
    this.#asking.push({ tokens, answer, fail });
    return promise;
  }

  /** Returns tokens, or charges them if negative. */
  giveBack(tokens: number): void {
    this.#left += tokens;
    if (tokens > 0) this.#exhaustedUntil = 0;
  }

  /** Makes the next statement return everything unspent. */
  end(): void {
    this.#isReturned = true;
  }

  /**
   * Begins a statement. Returns the change of the database's count, and functions to handle its new total or its
   * failure.
   */
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

  /** True if the database's count is wrong; it is corrected within a second. */
  get isUneven(): boolean {
    const isKept = this.#options.ahead > 0 && !this.#isReturned;
    return this.#excess > 0 || this.#left < 0 || (this.#left > 0 && !isKept);
  }

  /**
   * Grants as many requests as the day permits. Tokens held before belong to this process, whatever others have taken
   * since.
   */
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
