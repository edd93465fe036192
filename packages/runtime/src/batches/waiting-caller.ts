/**
 * A caller who may leave before the result is ready. An AbortSignal per request would cost more than the request's
 * share of a read.
 */
export interface WaitingCaller {
  readonly hasLeft: boolean;
  onLeft: (() => void) | undefined;
}

/** Nobody waits for the result any more. */
export class DisconnectedError extends Error {
  override name = 'DisconnectedError';
}

/** Returns a signal that is aborted with a DisconnectedError once all callers have left. */
export function abortWhenAllLeft(callers: readonly WaitingCaller[]): AbortSignal {
  const all = new AbortController();
  const look = () => {
    if (callers.every(({ hasLeft }) => hasLeft)) all.abort(new DisconnectedError('All callers have left.'));
  };
  for (const caller of callers) caller.onLeft = look;
  look();
  return all.signal;
}
