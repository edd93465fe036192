import { ModelError } from './model-error.ts';

/** What ends a call to a model: the signal that it was asked with, a limit of time, or the reader. */
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

  /** Ends the call unless `withoutLimit` is called in time. */
  within(limitMs: number, why: string): void {
    this.#limit = setTimeout(() => this.now(why), limitMs);
  }

  withoutLimit(): void {
    clearTimeout(this.#limit);
  }

  [Symbol.dispose](): void {
    this.withoutLimit();
  }
}
