/** Thrown within, where the time is used up. */
export class OutOfTimeError extends Error {
  override name = 'OutOfTimeError';
}

export interface PaceOptions {
  /** Of the event loop, all together. */
  workMsMax: number;
  /** Lets others have the event loop. */
  takeTurn: () => Promise<void>;
}

const sliceMs = 5;
/** To ask for the time of the processor takes longer than most of what is timed. */
const askEveryMs = 1;

/** The pace of long work on the event loop: others have their turn now and then, and the work has an end. */
export class Pace {
  readonly #options: PaceOptions;
  #workedMs = 0;
  #since = threadMs();
  #askedAt = performance.now();

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  /** For between the parts of the work. Throws an `OutOfTimeError` once it took too long in all. */
  pause(): void | Promise<void> {
    const now = performance.now();
    if (now - this.#askedAt < askEveryMs) return undefined;
    this.#askedAt = now;
    const sliceNow = threadMs() - this.#since;
    if (this.#workedMs + sliceNow > this.#options.workMsMax) throw new OutOfTimeError();
    return sliceNow < sliceMs ? undefined : this.aside(this.#options.takeTurn);
  }

  /** Waits for something else, whose time is not that of the work. */
  async aside<Result>(other: () => Promise<Result>): Promise<Result> {
    this.#workedMs += threadMs() - this.#since;
    try {
      return await other();
    } finally {
      this.#since = threadMs();
    }
  }
}

/** Of the processor: what other processes take of a busy machine does not count. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
