const tickMs = 50;
/** Minimum gap between two ticks that counts as a stall of the machine. */
const gapMs = 500;
const attemptsMax = 3;

/**
 * Measures how long the machine stalls, by a timer that then fires late. Use it only in a process that does no long
 * work itself, because such work would count as well.
 */
export class Standstill implements Disposable {
  /** Total time of all stalls so far. */
  lostMs = 0;
  #before = performance.now();
  readonly #timer = setInterval(() => {
    const now = performance.now();
    if (now - this.#before > gapMs) this.lostMs += now - this.#before - tickMs;
    this.#before = now;
  }, tickMs);

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** Runs work that measures times. If it fails and the machine stalled meanwhile, runs it again. */
export async function despiteStandstill(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    using standstill = new Standstill();
    try {
      return await work();
    } catch (error) {
      if (standstill.lostMs === 0 || attempt === attemptsMax) throw error;
    }
  }
}
