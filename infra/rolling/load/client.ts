import { Agent, type IncomingMessage, request } from 'node:http';

export interface Asked {
  method: 'GET' | 'POST' | 'PATCH';
  /** With its query. */
  path: string;
  headers?: Record<string, string>;
  /** JSON. */
  body?: object;
}

export interface Answer {
  /** Undefined where no answer came. */
  status: number | undefined;
  text: string;
  /** Why it is not whole; undefined where it is. */
  error: string | undefined;
}

/** Longer than any answer may take that is not followed. */
const timeoutMs = 40_000;

/** Keeps its connections to the gateway, and never repeats a request by itself. */
export class Client implements Disposable {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Reads the answer to its end; one that is followed may go on, and `onText` gets each piece of it. */
  send({ method, path, headers, body }: Asked, onText?: (piece: string) => void): Promise<Answer> {
    const sent = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const all = { ...(sent && { 'content-type': 'application/json', 'content-length': sent.length }), ...headers };
    return new Promise((resolve) => {
      let text = '';
      let from: IncomingMessage | undefined;
      const end = (error?: Error) => resolve({ status: from?.statusCode, text, error: error && describe(error) });
      const signal = onText ? {} : { signal: AbortSignal.timeout(timeoutMs) };
      const options = { method, agent: this.#agent, headers: all, ...signal };
      const asked = request(this.#url + path, options, (answer) => {
        from = answer;
        answer.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
          onText?.(piece);
        });
        answer.on('error', end).on('end', () => end());
      });
      asked.on('error', end).end(sent);
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

const describe = (error: Error & { code?: string }) => error.code ?? error.message;
