import type { Slots } from '@relata/runtime';

/** The turn of one large answer: from before it is parsed until it is written. */
export class AnswerTurn implements Disposable {
  readonly #slots: Slots;
  readonly #party: readonly [string];
  readonly #signal: AbortSignal;
  #isTaken = false;

  constructor(slots: Slots, orgId: string, signal: AbortSignal) {
    this.#slots = slots;
    this.#party = [orgId];
    this.#signal = signal;
  }

  readonly take = async (): Promise<void> => {
    await this.#slots.acquire(this.#party, this.#signal);
    this.#isTaken = true;
  };

  [Symbol.dispose](): void {
    if (this.#isTaken) this.#slots.release(this.#party);
    this.#isTaken = false;
  }
}
