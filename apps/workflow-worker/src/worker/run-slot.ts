import type { Slots } from '@relata/runtime';

export interface RunSlots {
  /** Slots for runs that are being executed. */
  runs: Slots;
  /** Slots for runs that wait for a response from another system. */
  calls: Slots;
}

/**
 * The slot of a run in its worker. During a call to another system, the run exchanges it for a slot for calls, since
 * there are more of these. Afterwards the run waits for its turn to continue.
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
   * Exchanges the slot for one for calls. If none is free, the run keeps its slot: a run that begins a call never waits
   * for a slot, so that runs cannot deadlock.
   */
  leave(): void {
    if (this.#isCalling || !this.#slots.calls.take(this.#party)) return;
    this.#isCalling = true;
    this.#stopWorking();
  }

  /** Waits for a slot if the run has none: after a call, or after a sweep that found no free slot. Rejects with the signal's reason if the signal is aborted first. */
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
