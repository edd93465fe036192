import type { IncomingMessage } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { HttpClient } from '@relata/testbed/http-client';
import { until } from '@relata/testbed/until';
import type { Random } from '@relata/testbed/random';

export interface ApiRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface Attempt {
  sentAt: number;
  endedAt: number;
  /** Undefined if there was no response. The request may have been accepted nevertheless. */
  status: number | undefined;
  retryAfter: string | undefined;
}

/** Result of a request. A response that arrives only in part counts as none. */
export interface ApiResponse extends Attempt {
  isReplayed: boolean;
  etag: string | undefined;
  /** Empty if no response arrived. */
  text: string;
}

const responseTimeoutMs = 15_000;

export type ApiClient = ReturnType<typeof openApiClient>;

/** Returns a client of the records API that sends each request to a random replica. `send` never retries. */
export function openApiClient(urls: readonly string[], key: string, random: Random) {
  const http = new HttpClient();
  const send = async ({ method, path, body, headers }: ApiRequest): Promise<ApiResponse> => {
    const sentAt = Date.now();
    try {
      const response = await http.open({
        method,
        path: `${random.pick(urls)}${path}`,
        headers: { 'x-api-key': key, ...headers },
        body: body === undefined ? undefined : Buffer.from(body),
        signal: AbortSignal.timeout(responseTimeoutMs),
      });
      return { sentAt, ...responseOf(response, await readText(response)) };
    } catch {
      return { sentAt, ...responseOf(undefined, '') };
    }
  };
  return {
    send,
    /** Returns the body of a GET, which is retried until its status is 200. */
    read: <Body>(path: string): Promise<Body> =>
      until(`GET ${path}`, async () => {
        const { status, text } = await send({ method: 'GET', path });
        return status === 200 && (JSON.parse(text) as Body);
      }),
    [Symbol.dispose]: () => http[Symbol.dispose](),
  };
}

function responseOf(response: IncomingMessage | undefined, body: string): Omit<ApiResponse, 'sentAt'> {
  const headers = response?.headers ?? {};
  return {
    endedAt: Date.now(),
    status: response?.statusCode,
    retryAfter: headers['retry-after'],
    isReplayed: headers['idempotent-replayed'] === 'true',
    etag: headers.etag,
    text: body,
  };
}
