/** Work in short slices. The caller can let other work run at each `yield`. */
export type SlicedWork<Result> = Generator<void, Result>;

/** Runs all slices without pauses, and returns the result. */
export function runToEnd<Result>(work: SlicedWork<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Runs all slices, awaits `pause()` between them, and returns the result. */
export async function runInSlices<Result>(
  work: SlicedWork<Result>,
  pause: () => undefined | Promise<unknown>,
): Promise<Result> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await pause();
  }
}
