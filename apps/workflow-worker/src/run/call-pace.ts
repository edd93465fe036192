import { Slots, type Turns } from '@relata/runtime';

/** One call and its answer take a worker some milliseconds: this is half of what it can do. */
const callEveryMs = 5;

/** So that one organization has a single one of them. */
const slotsCount = 3;

/**
 * The pace at which an organization begins calls while others have runs, too: one every five milliseconds in each worker.
 * A hundred that begin at once, and a hundred large answers, take every core for as long as they last.
 */
export class CallPace {
  readonly #turns: Pick<Turns, 'isShared'>;
  readonly #slots = new Slots(slotsCount);

  constructor(turns: Pick<Turns, 'isShared'>) {
    this.#turns = turns;
  }

  /** Resolves once a call may begin; rejects with the signal's reason when that is aborted first. */
  async wait(orgId: string, signal: AbortSignal): Promise<void> {
    if (!this.#turns.isShared) return;
    const party = [orgId];
    await this.#slots.acquire(party, signal);
    setTimeout(() => this.#slots.release(party), callEveryMs).unref();
  }
}
