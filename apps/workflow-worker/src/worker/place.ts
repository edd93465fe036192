import type { Slots } from '@relata/runtime';

export interface Places {
  /** Runs that are worked on. */
  runs: Slots;
  /** Runs that wait for an answer of another system. */
  calls: Slots;
  /** A place for work has become free. */
  onFree(): void;
}

/**
 * The place of one run in its worker. While another system is called it is given up for one that is only for calls, of
 * which there are more; then the run waits for its turn to go on.
 */
export class Place {
  readonly #places: Places;
  readonly #party: readonly [string];
  #isWorking = false;
  #isCalling = false;

  constructor(places: Places, orgId: string) {
    this.#places = places;
    this.#party = [orgId];
  }

  /** Takes a place for work now, or returns false. */
  take(): boolean {
    this.#isWorking ||= this.#places.runs.take(this.#party);
    return this.#isWorking;
  }

  /**
   * A call begins. Where no place for calls is free the run keeps the one that it has: those who have one never wait for
   * another kind, so that runs never wait in a circle.
   */
  leave(): void {
    if (this.#isCalling || !this.#places.calls.take(this.#party)) return;
    this.#isCalling = true;
    this.#stopWorking();
  }

  /** Resolves once the run may go on; rejects with the signal's reason when that is aborted first. */
  async return(signal: AbortSignal): Promise<void> {
    if (!this.#isWorking) await this.#places.runs.acquire(this.#party, signal);
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
    this.#places.runs.release(this.#party);
    this.#places.onFree();
  }

  #stopCalling(): void {
    if (!this.#isCalling) return;
    this.#isCalling = false;
    this.#places.calls.release(this.#party);
  }
}
