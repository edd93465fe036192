/**
 * Runs starts side by side. When one fails the others are given up, and its error is
 * thrown once all have settled, so that nothing is still coming up behind our back.
 */
export async function sideBySide(
  signal: AbortSignal,
  starts: readonly ((signal: AbortSignal) => Promise<void>)[],
): Promise<void> {
  const givenUp = new AbortController();
  const either = AbortSignal.any([signal, givenUp.signal]);
  const running = starts.map((start) => start(either).catch((error: unknown) => givenUp.abort(error)));
  await Promise.all(running);
  signal.throwIfAborted();
  givenUp.signal.throwIfAborted();
}
