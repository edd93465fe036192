import { Slots, type Turns } from '@relata/runtime';

/**
 * Milliseconds between two calls. A call and its answer keep a worker busy for some milliseconds, so this is half of
 * its capacity.
 */
const callEveryMs = 5;

/** With three slots, an organization can hold only one. */
const slotsCount = 3;

/**
 * The pace at which an organization begins calls while others have runs, too: one every five milliseconds per worker. A
 * hundred calls that begin together, or a hundred large answers, would occupy every core until they end.
 */
export class CallPace {
  readonly #turns: Pick<Turns, 'isShared'>;
  readonly #slots = new Slots(slotsCount);

  constructor(turns: Pick<Turns, 'isShared'>) {
    this.#turns = turns;
  }

  /** Resolves once a call may begin; rejects with the signal's reason if the signal is aborted first. */
  async wait(orgId: string, signal: AbortSignal): Promise<void> {
    if (!this.#turns.isShared) return;
    const party = [orgId];
    await this.#slots.acquire(party, signal);
    setTimeout(() => this.#slots.release(party), callEveryMs).unref();
  }
}
