import { Agent, type IncomingMessage, request } from 'node:http';
import { until } from '../../until.ts';
import type { Attempt } from './post.ts';
import type { Random } from '@relata/testbed/random';

export interface ApiRequest {
  method: 'GET' | 'POST' | 'PATCH';
  /** With its query. */
  path: string;
  headers?: Record<string, string>;
  /** JSON. */
  body?: string;
}

/** An answer counts only where all of it arrived. */
export interface ApiAnswer extends Attempt {
  isReplayed: boolean;
  etag: string | undefined;
  /** Empty where no answer came. */
  text: string;
}

const answerTimeoutMs = 15_000;
const readTimeoutMs = 20_000;

/** A client of the records API that sends each request to any replica, and never repeats one by itself. */
export class ApiClient implements Disposable {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #urls: readonly string[];
  readonly #key: string;
  readonly #random: Random;

  constructor(urls: readonly string[], key: string, random: Random) {
    this.#urls = urls;
    this.#key = key;
    this.#random = random;
  }

  send({ method, path, body, headers }: ApiRequest): Promise<ApiAnswer> {
    const sentAt = Date.now();
    return new Promise((resolve) => {
      const end = (answer?: IncomingMessage, text = '') => resolve({ sentAt, ...answerOf(answer, text) });
      const all = { 'x-api-key': this.#key, ...(body !== undefined && jsonHeaders(body)), ...headers };
      const signal = AbortSignal.timeout(answerTimeoutMs);
      const options = { method, agent: this.#agent, headers: all, signal };
      const sent = request(`${this.#random.pick(this.#urls)}${path}`, options, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        answer.on('error', () => end()).on('end', () => end(answer, text));
      });
      sent.on('error', () => end());
      sent.end(body);
    });
  }

  /** Reads what is there when everything is over. */
  async read<Body>(path: string): Promise<Body> {
    return until(`GET ${path}`, readTimeoutMs, async () => {
      const { status, text } = await this.send({ method: 'GET', path });
      return status === 200 && (JSON.parse(text) as Body);
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

function answerOf(answer: IncomingMessage | undefined, text: string): Omit<ApiAnswer, 'sentAt'> {
  const headers = answer?.headers ?? {};
  return {
    endedAt: Date.now(),
    status: answer?.statusCode,
    retryAfter: headers['retry-after'],
    isReplayed: headers['idempotent-replayed'] === 'true',
    etag: headers.etag,
    text,
  };
}

function jsonHeaders(body: string): Record<string, string> {
  return { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
}
