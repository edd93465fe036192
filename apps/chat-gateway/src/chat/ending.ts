import type { ServerResponse } from 'node:http';

export type EndReason = 'left' | 'deadline' | 'stopping';

/** Time in ms that a slow reader has to read the rest of an answer that ended early, before the connection is cut. */
export const finalWriteMs = 1_000;

/** Early end of an answer: the visitor has left, the deadline has passed, or the process stops. */
export interface Ending extends Disposable {
  signal: AbortSignal;
  readonly reason: EndReason | undefined;
}

export interface EndingOptions {
  deadlineMs: number;
  /** Aborted when open answers must end. */
  stopping: AbortSignal;
}

/**
 * Ends an answer early if there is a reason. Cuts the connection `finalWriteMs` later, since a client that reads
 * nothing would keep it open forever.
 */
export function watchEnding(response: ServerResponse, { deadlineMs, stopping }: EndingOptions): Ending {
  const controller = new AbortController();
  let cut: NodeJS.Timeout | undefined;
  const end = (reason: EndReason) => {
    if (controller.signal.aborted) return;
    controller.abort(reason);
    cut = setTimeout(() => response.destroy(), finalWriteMs).unref();
  };
  const deadline = setTimeout(end, deadlineMs, 'deadline').unref();
  const stop = () => end('stopping');
  const close = () => {
    if (!response.writableFinished) end('left');
    clearTimeout(cut);
  };
  if (stopping.aborted) stop();
  stopping.addEventListener('abort', stop, { once: true });
  response.once('close', close);
  if (response.destroyed) end('left');
  return {
    signal: controller.signal,
    get reason() {
      return controller.signal.reason as EndReason | undefined;
    },
    [Symbol.dispose]() {
      clearTimeout(deadline);
      stopping.removeEventListener('abort', stop);
    },
  };
}
