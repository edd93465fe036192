import { backoff } from './pause.ts';

/** Does the available work, and returns the milliseconds to pause; `Infinity` means until the loop is woken. */
export type Round = (signal: AbortSignal) => number | Promise<number>;

const failurePauseMs = 250;
const failurePauseMsMax = 5_000;

/**
 * Background work in rounds, one at a time. If a round throws, the error is reported, and the next round follows after
 * a pause that doubles with each consecutive failure, up to 5 s.
 */
export class Loop implements AsyncDisposable {
  readonly #round: Round;
  readonly #onError: (error: unknown) => void;
  readonly #stopping = new AbortController();
  #backoff = backoff(failurePauseMs, failurePauseMsMax);
  #isWoken = false;
  #endPause: (() => void) | undefined;
  #running: Promise<void> | undefined;

  constructor(round: Round, onError: (error: unknown) => void) {
    this.#round = round;
    this.#onError = onError;
  }

  /** Begins the first round, after `inMs` if given. */
  start(inMs = 0): this {
    this.#running ??= this.#run(inMs);
    return this;
  }

  /** Ends the pause between two rounds; during a round, makes the next one follow immediately. */
  wake(): void {
    this.#isWoken = true;
    this.#endPause?.();
  }

  /** Stops the loop: aborts the signal of the current round, and waits for its end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    this.#endPause?.();
    await this.#running;
  }

  async #run(inMs: number): Promise<void> {
    const { signal } = this.#stopping;
    await this.#pause(inMs);
    while (!signal.aborted) {
      this.#isWoken = false;
      const pauseMs = await this.#tryRound(signal);
      if (!this.#isWoken) await this.#pause(pauseMs);
    }
  }

  async #tryRound(signal: AbortSignal): Promise<number> {
    try {
      const pauseMs = await this.#round(signal);
      this.#backoff = backoff(failurePauseMs, failurePauseMsMax);
      return pauseMs;
    } catch (error) {
      if (!signal.aborted) this.#onError(error);
      // Calls of `wake` do not end this pause. Otherwise a loop that is woken often would fail as often.
      await this.#pause(this.#backoff.next().value, false);
      return 0;
    }
  }

  async #pause(ms: number, mayBeWoken = true): Promise<void> {
    const { signal } = this.#stopping;
    if (ms <= 0 || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = Number.isFinite(ms) ? setTimeout(resolve, ms).unref() : undefined;
    const end = () => (mayBeWoken || signal.aborted) && resolve();
    this.#endPause = end;
    await promise;
    clearTimeout(timer);
    this.#endPause = undefined;
  }
}
