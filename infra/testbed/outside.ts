import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Random } from './random.ts';

export interface Call {
  nonce: string;
  idempotencyKey: string;
}

const bodyBytesMax = 10_000;
const busyShare = 0.05;
const slowShare = 0.3;
const slowMs: [least: number, most: number] = [400, 2_500];

export type Outside = Awaited<ReturnType<typeof startOutside>>;

/** Starts another system that workflows call: it records the calls, and is sometimes slow or busy. */
export async function startOutside(random: Random) {
  const calls: Call[] = [];
  const waitsMs = new Map<string, number>();
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const nonce = await readNonce(request);
    calls.push({ nonce, idempotencyKey: String(request.headers['idempotency-key']) });
    // The same delay for every call of a delivery's run. So a run that was taken over is still calling when its frozen
    // worker resumes.
    const waitMs = waitsMs.getOrInsertComputed(nonce, () => (random.has(slowShare) ? random.between(...slowMs) : 0));
    const respond = () => response.writeHead(random.has(busyShare) ? 503 : 200).end();
    if (waitMs > 0) setTimeout(respond, waitMs).unref();
    else respond();
  };
  const server = createServer((request, response) => void take(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    calls,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close().closeAllConnections();
      await closed;
    },
  };
}

/** Returns the nonce of a request, or an empty string if the caller was killed in the middle of its request. */
async function readNonce(request: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const chunk of request.setEncoding('utf8')) text = (text + String(chunk)).slice(0, bodyBytesMax);
    return (JSON.parse(text) as { nonce: string }).nonce;
  } catch {
    return '';
  }
}
