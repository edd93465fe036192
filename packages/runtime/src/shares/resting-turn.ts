import type { LongestWait, Slots } from './slots.ts';
import type { Party } from './shares.ts';

/** Maximum rest. Longer work has mostly waited itself, for a disk or a busy machine. */
const restMsMax = 100;

interface RestingTurnOptions {
  signal?: AbortSignal | undefined;
  longestWait?: LongestWait;
  /** Length of the rest, as a multiple of the work. */
  restTimes?: number;
}

/**
 * A turn for work that keeps a whole process busy: it takes a slot, and afterwards the slot rests for as long as the
 * work took or a multiple of that, up to 100 ms. With three slots an organization has one turn at a time, and half of
 * the time is left to all others.
 */
export class RestingTurn implements Disposable {
  readonly #slots: Slots;
  readonly #party: Party;
  readonly #options: RestingTurnOptions;
  #takenAt: number | undefined;

  constructor(slots: Slots, party: Party, options: RestingTurnOptions = {}) {
    this.#slots = slots;
    this.#party = party;
    this.#options = options;
  }

  get isTaken(): boolean {
    return this.#takenAt !== undefined;
  }

  /** Resolves once the turn has come; rejects with the signal's reason if the signal is aborted first. */
  readonly take = async (): Promise<void> => {
    const { signal, longestWait } = this.#options;
    await this.#slots.acquire(this.#party, signal, longestWait);
    this.#takenAt = performance.now();
  };

  [Symbol.dispose](): void {
    if (this.#takenAt === undefined) return;
    const { restTimes = 1 } = this.#options;
    const restMs = Math.min((performance.now() - this.#takenAt) * restTimes, restMsMax);
    this.#takenAt = undefined;
    setTimeout(() => this.#slots.release(this.#party), restMs).unref();
  }
}
