/** The time of the work is used up. */
export class OutOfTimeError extends Error {
  override name = 'OutOfTimeError';
}

export interface PaceOptions {
  /** Time on the event loop, all slices together. */
  workMsMax: number;
  /** Leaves the event loop to others after a slice that took so long. */
  takeTurn: (sliceMs: number) => Promise<void>;
}

/** A request of somebody else takes several turns of the loop, and may wait for a slice in each of them. */
const sliceMs = 2;
/** To ask for the time of the processor takes longer than most of what is timed. */
const askEveryMs = 1;

/** The pace of long work on the event loop: it is done in short slices, and has an end. */
export class Pace {
  readonly #options: PaceOptions;
  #workedMs = 0;
  #since = threadMs();
  #askedAt = performance.now();

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  /** Called between parts of the work. Throws an `OutOfTimeError` once all of it took too long. */
  pause(): void | Promise<void> {
    const now = performance.now();
    if (now - this.#askedAt < askEveryMs) return undefined;
    this.#askedAt = now;
    const sliceNow = threadMs() - this.#since;
    if (this.#workedMs + sliceNow > this.#options.workMsMax) throw new OutOfTimeError();
    return sliceNow < sliceMs ? undefined : this.aside(() => this.#options.takeTurn(sliceNow));
  }

  /** Waits for something else, whose time does not count as work. */
  async aside<Result>(other: () => Promise<Result>): Promise<Result> {
    this.#workedMs += threadMs() - this.#since;
    try {
      return await other();
    } finally {
      this.#since = threadMs();
    }
  }
}

/** Time of the processor: what other processes of a busy machine take does not count. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
