const tickMs = 50;
/** A longer gap between two ticks is not this process's own work. */
const gapMs = 500;
const attemptsMax = 3;

/**
 * Measures for how long the machine stands still: a timer then fires late. Use it only in a process that does no long
 * work itself, because that would count as well.
 */
export class Standstill implements Disposable {
  /** Total so far. */
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

/** Runs work that measures times. If it fails and the machine stood still meanwhile, it is run again. */
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
