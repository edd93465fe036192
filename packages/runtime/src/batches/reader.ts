/**
 * A caller who may leave before the result is ready. An AbortSignal per request would cost more than the request's
 * share of a read.
 */
export interface Reader {
  readonly hasLeft: boolean;
  onLeft: (() => void) | undefined;
}

/** Nobody waits for the result any more. */
export class DisconnectedError extends Error {
  override name = 'DisconnectedError';
}

/** Returns a signal that is aborted with a DisconnectedError once all readers have left. */
export function allLeft(readers: readonly Reader[]): AbortSignal {
  const all = new AbortController();
  const look = () => {
    if (readers.every(({ hasLeft }) => hasLeft)) all.abort(new DisconnectedError('All readers have left.'));
  };
  for (const reader of readers) reader.onLeft = look;
  look();
  return all.signal;
}
