export class OutOfTimeError extends Error {
  override name = 'OutOfTimeError';
}

/** Returns the result of the work; undefined if the work throws `OutOfTimeError`. */
export async function inTime<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OutOfTimeError) return undefined;
    throw error;
  }
}

export interface TimeSlicerOptions {
  /** Maximum CPU time of all slices together, in ms. */
  workMsMax: number;
  /** Yields to the event loop after a slice of `sliceMs`. */
  takeTurn: (sliceMs: number) => Promise<void>;
}

/**
 * Length of a slice, in ms. Another request needs several turns of the event loop, and may wait for a slice in each.
 */
const sliceMs = 2;
/** Minimum interval between readings of the CPU time, in ms. A reading takes longer than most of the measured work. */
const askEveryMs = 1;

/** Splits long work on the event loop into short slices and limits its total time. */
export class TimeSlicer {
  readonly #options: TimeSlicerOptions;
  #workedMs = 0;
  #since = threadMs();
  #askedAt = performance.now();

  constructor(options: TimeSlicerOptions) {
    this.#options = options;
  }

  /**
   * Yields after a slice. Throws `OutOfTimeError` once the total time is used up. Call it between parts of the work.
   */
  pause(): void | Promise<void> {
    const now = performance.now();
    if (now - this.#askedAt < askEveryMs) return undefined;
    this.#askedAt = now;
    const sliceNow = threadMs() - this.#since;
    if (this.#workedMs + sliceNow > this.#options.workMsMax) throw new OutOfTimeError();
    return sliceNow < sliceMs ? undefined : this.aside(() => this.#options.takeTurn(sliceNow));
  }

  /** Yields to the event loop, even after the total time is used up: for work that must be completed. */
  turn(): Promise<void> {
    return this.aside(() => this.#options.takeTurn(sliceMs));
  }

  /** Waits for another operation, whose time does not count as work. */
  async aside<Result>(other: () => Promise<Result>): Promise<Result> {
    this.#workedMs += threadMs() - this.#since;
    try {
      return await other();
    } finally {
      this.#since = threadMs();
    }
  }
}

/** Returns the CPU time of this thread, in ms; other processes on a busy machine do not affect it. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
