/** Work in short steps. The caller can let other work run at each `yield`. */
export type Steps<Result> = Generator<void, Result>;

/** Runs all steps without pauses, and returns the result. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Runs all steps, awaits `pause()` between them, and returns the result. */
export async function finishInTurns<Result>(
  steps: Steps<Result>,
  pause: () => undefined | Promise<unknown>,
): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await pause();
  }
}
