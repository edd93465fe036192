import type { ModelError } from './model-error.ts';

/**
 * Signal that ends a call to a model when the caller's signal is aborted, a time limit is reached, or `now` is called.
 */
export class CallEnd implements Disposable {
  readonly signal: AbortSignal;
  readonly #own = new AbortController();
  #limit: NodeJS.Timeout | undefined;

  constructor(asked: AbortSignal | undefined) {
    this.signal = asked ? AbortSignal.any([asked, this.#own.signal]) : this.#own.signal;
  }

  now(why: ModelError): void {
    this.#own.abort(why);
  }

  /**
   * Calls `turn` after `limitMs`, and ends the call once the returned promise has settled, unless `withoutLimit` is
   * called before.
   */
  within(limitMs: number, why: ModelError, turn = () => Promise.resolve()): void {
    const end = () => this.#limit === limit && this.now(why);
    const limit = setTimeout(() => void turn().then(end, end), limitMs);
    this.#limit = limit;
  }

  withoutLimit(): void {
    clearTimeout(this.#limit);
    this.#limit = undefined;
  }

  [Symbol.dispose](): void {
    this.withoutLimit();
  }
}
