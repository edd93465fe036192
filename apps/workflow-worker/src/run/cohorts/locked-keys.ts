import { jittered, pause } from '@relata/runtime';
import { Interrupted } from '../interruption.ts';

const retryMs = 5;
const retryMsMax = 100;

/**
 * What runs of this worker wait for, because a transaction of another worker or of the API has locked it. They wait outside
 * of any transaction. Of those that wait for the same, the first looks again every now and then; once it is through, all go
 * on in their order, and share a cohort.
 */
export class LockedKeys {
  /** Those behind the first, by the key. */
  readonly waiting = new Map<string, (() => void)[]>();
}

/** One run that does a step, until that is through. */
export class LockWait implements Disposable {
  readonly #waiting: LockedKeys['waiting'];
  readonly #signal: AbortSignal;
  /** The key that it is the first to wait for. */
  #key: string | undefined;
  #waitMs = retryMs;

  constructor({ waiting }: LockedKeys, signal: AbortSignal) {
    this.#waiting = waiting;
    this.#signal = signal;
  }

  /** Waits until the key may be free, or a row where none is given; throws Interrupted once the signal is aborted. */
  async wait(key: string | undefined): Promise<void> {
    if (this.#key !== key) this[Symbol.dispose]();
    const queue = key === undefined || key === this.#key ? undefined : this.#waiting.get(key);
    if (queue) await this.#follow(queue);
    else await this.#lead(key);
    if (this.#signal.aborted) throw new Interrupted();
  }

  [Symbol.dispose](): void {
    if (this.#key === undefined) return;
    const followers = this.#waiting.get(this.#key)!;
    this.#waiting.delete(this.#key);
    this.#key = undefined;
    for (const goOn of followers) goOn();
  }

  async #lead(key: string | undefined): Promise<void> {
    if (key !== undefined && this.#key === undefined) this.#waiting.set((this.#key = key), []);
    await pause(jittered(this.#waitMs), this.#signal);
    this.#waitMs = Math.min(this.#waitMs * 2, retryMsMax);
  }

  async #follow(queue: (() => void)[]): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const goOn = () => resolve();
    queue.push(goOn);
    this.#signal.addEventListener('abort', goOn, { once: true });
    await promise;
    this.#signal.removeEventListener('abort', goOn);
  }
}
