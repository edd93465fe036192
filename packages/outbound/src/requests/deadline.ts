import { OutboundError } from '../outbound.error.ts';

/** Maximum delay of a timer, in ms. */
const timerMsMax = 2_147_483_647;

/** Aborts a request in any of its phases, once its timeout has elapsed or one of the given signals is aborted. */
export class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #signals: AbortSignal[];

  constructor(timeoutMs: number, signals: AbortSignal[]) {
    const late = () => new OutboundError('timeout', `There was no complete response within ${timeoutMs} ms.`);
    this.#timer = setTimeout(() => this.#controller.abort(late()), Math.min(timeoutMs, timerMsMax));
    this.#signals = signals;
    for (const signal of signals) signal.addEventListener('abort', this.#stop, { once: true });
    if (signals.some(({ aborted }) => aborted)) this.#stop();
  }

  /** Signal whose reason is an `OutboundError`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    for (const signal of this.#signals) signal.removeEventListener('abort', this.#stop);
  }

  readonly #stop = () => this.#controller.abort(new OutboundError('aborted', 'The request was cancelled.'));
}
