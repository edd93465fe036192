const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
// One Ctrl-C may arrive twice: from the terminal, and from npm, which passes it on.
const sameRequestMs = 500;

export interface StopRequest {
  /** Aborts on the first signal or call of `stop`. */
  signal: AbortSignal;
  /** Resolves on the first signal or call of `stop`. */
  requested: Promise<void>;
  /** Requests the stop from this process. */
  stop: () => void;
  /** Called on each signal that arrives more than 500 ms after the first one. */
  onImpatience: (() => void) | undefined;
}

/** Subscribes to the signals that end the stack. */
export function listenForStop(): StopRequest {
  const stopping = new AbortController();
  const { promise: requested, resolve } = Promise.withResolvers<void>();
  const stop = () => {
    stopping.abort(new Error('Stopped while starting.'));
    resolve();
  };
  const request: StopRequest = { signal: stopping.signal, requested, stop, onImpatience: undefined };
  let firstAt: number | undefined;
  const receive = () => {
    firstAt ??= Date.now();
    if (Date.now() - firstAt > sameRequestMs) request.onImpatience?.();
    stop();
  };
  for (const signal of stopSignals) process.on(signal, receive);
  return request;
}
