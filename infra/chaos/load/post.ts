import { Agent, request } from 'node:http';

/** One POST and its result. */
export interface Attempt {
  sentAt: number;
  endedAt: number;
  /** Undefined where no answer came: the post may have been accepted or not. */
  status: number | undefined;
  retryAfter: string | undefined;
}

export interface PostRequest {
  url: string;
  triggerId: string;
  /** What opens the trigger, and marks repeats. */
  headers: Record<string, string>;
  body: Buffer;
}

const answerTimeoutMs = 15_000;

/** A client that keeps its connections, and never repeats by itself. */
export class PostClient implements Disposable {
  readonly #agent = new Agent({ keepAlive: true });

  post({ url, triggerId, headers: own, body }: PostRequest): Promise<Attempt> {
    const sentAt = Date.now();
    return new Promise((resolve) => {
      const end = (status?: number, retryAfter?: string) =>
        resolve({ sentAt, endedAt: Date.now(), status, retryAfter });
      const headers = {
        'content-type': 'application/json',
        'content-length': body.length,
        ...own,
      };
      const target = `${url}/webhooks/trigger/${triggerId}`;
      const signal = AbortSignal.timeout(answerTimeoutMs);
      const sent = request(target, { method: 'POST', agent: this.#agent, headers, signal }, (response) => {
        // The status alone counts as the answer, even if the rest does not arrive.
        response.on('error', () => undefined).resume();
        end(response.statusCode, response.headers['retry-after']);
      });
      sent.on('error', () => end());
      sent.end(body);
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
