import { HttpClient, type Sent } from '@relata/testbed/http-client';
import type { TestTrigger } from '@relata/testbed/fixtures';
import type { FloodContext } from './flood.ts';
import { aborted, atRate, waited } from './load-shapes.ts';
import { RawConnection, type RawRequest } from './raw-connection.ts';

/**
 * Returns a function that sends a request to an app, with the flooder's first key, and counts its status. It connects
 * from `localAddress` if given.
 */
export function senderTo({ urls, flooder, signal, count }: FloodContext<unknown>, app: string, localAddress?: string) {
  const client = new HttpClient(urls[app]!, localAddress === undefined ? {} : { localAddress });
  return async (sent: Sent, figure = 'status'): Promise<number> => {
    const headers = { 'x-api-key': flooder.keys[0]!, ...sent.headers };
    const status = await client.statusOf({ ...sent, headers, signal });
    count(`${figure} ${status}`);
    return status;
  };
}

export interface Deliveries {
  /** Number of deliveries that are posted at the beginning, before the constant rate. */
  atOnce?: number;
  perSecond?: number;
  /** Name of the figures that count the statuses, by default `status`. */
  figure?: string;
}

/** Posts deliveries to a trigger until the flood ends. */
export async function deliver(
  context: FloodContext<unknown>,
  { path, headers }: TestTrigger,
  { atOnce = 0, perSecond, figure }: Deliveries,
  bodyOf: (turn: number) => object = (turn) => ({ turn }),
): Promise<void> {
  const send = senderTo(context, 'webhook-ingest');
  const post = (turn: number) => send({ method: 'POST', path, headers, body: bodyOf(turn) }, figure);
  await Promise.all(Array.from({ length: atOnce }, (_, turn) => post(turn)));
  if (perSecond === undefined) await aborted(context.signal);
  else await atRate(context.signal, perSecond, post);
}

export interface SlowBody {
  body: Buffer;
  /** Size of a piece in bytes. A post sends ten pieces per second. */
  pieceBytes: number;
  /** Number of sent bytes from which a post counts as held by the service; by default the whole body. */
  heldBytes?: number;
  againAfterMs: number;
}

const pieceEveryMs = 100;

/** Posts a body piece by piece, as over a network, again and again. A post that has been answered is not continued. */
export async function postOnAndOn(
  { signal, count }: FloodContext<unknown>,
  request: RawRequest,
  { body, pieceBytes, heldBytes = body.length, againAfterMs }: SlowBody,
): Promise<void> {
  while (!signal.aborted) {
    using post = new RawConnection(request);
    post.sendHead();
    count('asked');
    const answered = new AbortController();
    const ended = post.statusThenStall().then((status) => {
      count(`status ${status}`);
      answered.abort();
    });
    const either = AbortSignal.any([signal, answered.signal]);
    for (let from = 0; from < body.length && !either.aborted; from += pieceBytes) {
      post.socket.write(body.subarray(from, from + pieceBytes));
      await waited(pieceEveryMs, either);
      if (from < heldBytes && from + pieceBytes >= heldBytes && !either.aborted) count('held');
    }
    if (answered.signal.aborted) count('refused');
    await Promise.race([ended, aborted(signal)]);
    await waited(againAfterMs * (0.5 + Math.random()), signal);
  }
}
