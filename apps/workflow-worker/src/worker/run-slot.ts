import type { Slots } from '@relata/runtime';

export interface RunSlots {
  /** Slots for runs that are being executed. */
  runs: Slots;
  /** Slots for runs that wait for an answer of another system. */
  calls: Slots;
}

/**
 * The slot of a run in its worker. During a call to another system the run exchanges it for one of the more numerous
 * slots for calls; afterwards it waits for its turn to continue.
 */
export class RunSlot {
  readonly orgId: string;
  readonly #slots: RunSlots;
  readonly #party: readonly [string];
  #isWorking = false;
  #isCalling = false;

  constructor(slots: RunSlots, orgId: string) {
    this.orgId = orgId;
    this.#slots = slots;
    this.#party = [orgId];
  }

  /** Takes a slot for work if one is free; returns false otherwise. */
  take(): boolean {
    this.#isWorking ||= this.#slots.runs.take(this.#party);
    return this.#isWorking;
  }

  /**
   * Begins a call. If no slot for calls is free, the run keeps its slot: a run with a slot never waits for another kind
   * of slot, so that runs cannot deadlock.
   */
  leave(): void {
    if (this.#isCalling || !this.#slots.calls.take(this.#party)) return;
    this.#isCalling = true;
    this.#stopWorking();
  }

  /** Resolves once the run may continue; rejects with the signal's reason if the signal is aborted first. */
  async resume(signal: AbortSignal): Promise<void> {
    if (!this.#isWorking) await this.#slots.runs.acquire(this.#party, signal);
    this.#isWorking = true;
    this.#stopCalling();
  }

  free(): void {
    this.#stopWorking();
    this.#stopCalling();
  }

  #stopWorking(): void {
    if (!this.#isWorking) return;
    this.#isWorking = false;
    this.#slots.runs.release(this.#party);
  }

  #stopCalling(): void {
    if (!this.#isCalling) return;
    this.#isCalling = false;
    this.#slots.calls.release(this.#party);
  }
}
