import { waited } from './pace.ts';
import type { RawConnection } from './raw-connection.ts';

const pieceEveryMs = 100;

/** Sends a body piece by piece, as over a network, until the signal is aborted. */
export async function sendPaced(
  post: RawConnection,
  body: Buffer,
  pieceBytes: number,
  signal: AbortSignal,
): Promise<void> {
  for (let from = 0; from < body.length && !signal.aborted; from += pieceBytes) {
    post.socket.write(body.subarray(from, from + pieceBytes));
    await waited(pieceEveryMs, signal);
  }
}
