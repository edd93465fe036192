import type { IncomingMessage } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { HttpClient } from '@relata/testbed/http-client';
import { until } from '@relata/testbed/until';
import type { Random } from '@relata/testbed/random';

export interface ApiRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path with the query. */
  path: string;
  headers?: Record<string, string>;
  /** Body, as JSON. */
  body?: string;
}

/** An attempt to send a request. */
export interface Attempt {
  sentAt: number;
  endedAt: number;
  /** Undefined if there was no answer. The request may have been accepted nevertheless. */
  status: number | undefined;
  retryAfter: string | undefined;
}

/** Result of a request. An answer that arrives only in part counts as none. */
export interface ApiAnswer extends Attempt {
  isReplayed: boolean;
  etag: string | undefined;
  /** Empty if no answer arrived. */
  text: string;
}

const answerTimeoutMs = 15_000;

/** A client of the records API that sends each request to a random replica. `send` never retries. */
export class ApiClient implements Disposable {
  readonly #http = new HttpClient();
  readonly #urls: readonly string[];
  readonly #key: string;
  readonly #random: Random;

  constructor(urls: readonly string[], key: string, random: Random) {
    this.#urls = urls;
    this.#key = key;
    this.#random = random;
  }

  async send({ method, path, body, headers }: ApiRequest): Promise<ApiAnswer> {
    const sentAt = Date.now();
    try {
      const answer = await this.#http.open({
        method,
        path: `${this.#random.pick(this.#urls)}${path}`,
        headers: { 'x-api-key': this.#key, ...headers },
        body: body === undefined ? undefined : Buffer.from(body),
        signal: AbortSignal.timeout(answerTimeoutMs),
      });
      return { sentAt, ...answerOf(answer, await readText(answer)) };
    } catch {
      return { sentAt, ...answerOf(undefined, '') };
    }
  }

  /** Returns the body of a GET, which is retried until its status is 200. */
  async read<Body>(path: string): Promise<Body> {
    return until(`GET ${path}`, async () => {
      const { status, text } = await this.send({ method: 'GET', path });
      return status === 200 && (JSON.parse(text) as Body);
    });
  }

  [Symbol.dispose](): void {
    this.#http[Symbol.dispose]();
  }
}

function answerOf(answer: IncomingMessage | undefined, body: string): Omit<ApiAnswer, 'sentAt'> {
  const headers = answer?.headers ?? {};
  return {
    endedAt: Date.now(),
    status: answer?.statusCode,
    retryAfter: headers['retry-after'],
    isReplayed: headers['idempotent-replayed'] === 'true',
    etag: headers.etag,
    text: body,
  };
}
