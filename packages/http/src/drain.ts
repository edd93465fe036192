import type { ServerResponse } from 'node:http';

/** What is read of a body after its answer, so that the client gets to read that; more is cut off. */
export const drainBytesMax = 8_388_608;
export const drainMaxMs = 5_000;

const lookEveryMs = 50;

/** Bounds what is read of a request that was answered before it was there. Call it before the answer is ended. */
export function boundDrain(response: ServerResponse): void {
  const { req: request } = response;
  response.once('finish', () => {
    const { socket } = request;
    if (request.complete || socket.destroyed) return;
    const from = socket.bytesRead;
    const until = performance.now() + drainMaxMs;
    const timer = setInterval(() => {
      if (request.complete || socket.destroyed) return clearInterval(timer);
      if (socket.bytesRead - from > drainBytesMax || performance.now() > until) socket.destroy();
    }, lookEveryMs);
    timer.unref();
  });
}
