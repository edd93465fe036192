/** Work in short steps: at each `yield`, other work may have its turn. */
export type Steps<Result> = Generator<void, Result>;

/** Does all steps at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Does all steps, and waits between them for what `pause` returns. */
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
