import type { Slots } from '@relata/runtime';
import { Interrupted } from './interruption.ts';

/** However long one took, others need not wait longer. */
const restMsMax = 1_000;

/**
 * The turn of one large answer, from before it is parsed until it is written, or of a run that reads many again. Each keeps the event loop and the database
 * busy, so the organization's next one begins after a rest that was as long: half of the time is everybody else's.
 */
export class AnswerTurn implements Disposable {
  readonly #slots: Slots;
  readonly #party: readonly [string];
  readonly #signal: AbortSignal;
  #takenAt: number | undefined;

  constructor(slots: Slots, orgId: string, signal: AbortSignal) {
    this.#slots = slots;
    this.#party = [orgId];
    this.#signal = signal;
  }

  readonly take = async (): Promise<void> => {
    try {
      await this.#slots.acquire(this.#party, this.#signal);
    } catch {
      throw new Interrupted();
    }
    this.#takenAt = performance.now();
  };

  [Symbol.dispose](): void {
    if (this.#takenAt === undefined) return;
    const restMs = Math.min(performance.now() - this.#takenAt, restMsMax);
    this.#takenAt = undefined;
    setTimeout(() => this.#slots.release(this.#party), restMs).unref();
  }
}
