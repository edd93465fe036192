/**
 * Runs several start functions concurrently and returns their results. If one fails, aborts the signal of the others,
 * and throws the error once all have settled, so that nothing is still starting afterwards.
 */
export async function sideBySide<Results extends readonly unknown[]>(
  signal: AbortSignal,
  starts: { readonly [At in keyof Results]: (signal: AbortSignal) => Promise<Results[At]> },
): Promise<Results> {
  const givenUp = new AbortController();
  const either = AbortSignal.any([signal, givenUp.signal]);
  const settled = await Promise.allSettled(
    starts.map(async (start) => {
      try {
        return await start(either);
      } catch (error) {
        givenUp.abort(error);
        throw error;
      }
    }),
  );
  signal.throwIfAborted();
  givenUp.signal.throwIfAborted();
  return settled.map((one) => (one as PromiseFulfilledResult<unknown>).value) as unknown as Results;
}
