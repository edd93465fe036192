import { ModelError } from './model-error.ts';

/** Ends a call to a model: by the caller's signal, a time limit or the reader. */
export class CallEnd implements Disposable {
  readonly signal: AbortSignal;
  readonly #own = new AbortController();
  #limit: NodeJS.Timeout | undefined;

  constructor(asked: AbortSignal | undefined) {
    this.signal = asked ? AbortSignal.any([asked, this.#own.signal]) : this.#own.signal;
  }

  now(why: string): void {
    this.#own.abort(new ModelError(why));
  }

  /**
   * Ends the call once the time is over and `turn`, which is then called, has settled. `withoutLimit` prevents this if
   * it is called before.
   */
  within(limitMs: number, why: string, turn = () => Promise.resolve()): void {
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
