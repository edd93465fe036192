import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
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

/** Another system that workflows call: it records the calls, and is sometimes slow or busy. */
export class Outside implements AsyncDisposable {
  readonly calls: Call[] = [];
  readonly #random: Random;
  readonly #waitsMs = new Map<string, number>();
  readonly #server: Server = createServer((request, response) => void this.#take(request, response));

  private constructor(random: Random) {
    this.#random = random;
  }

  static async start(random: Random): Promise<Outside> {
    const outside = new Outside(random);
    outside.#server.listen(0, '127.0.0.1');
    await once(outside.#server, 'listening');
    return outside;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const nonce = await readNonce(request);
    this.calls.push({ nonce, idempotencyKey: String(request.headers['idempotency-key']) });
    const answer = () => response.writeHead(this.#random.has(busyShare) ? 503 : 200).end();
    const waitMs = this.#waitMs(nonce);
    if (waitMs > 0) setTimeout(answer, waitMs).unref();
    else answer();
  }

  /**
   * Returns the delay of a call, the same for every call of a delivery's run. So a run that was taken over is still
   * calling when its frozen worker resumes.
   */
  #waitMs(nonce: string): number {
    const known = this.#waitsMs.get(nonce);
    if (known !== undefined) return known;
    const waitMs = this.#random.has(slowShare) ? this.#random.between(...slowMs) : 0;
    this.#waitsMs.set(nonce, waitMs);
    return waitMs;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
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
