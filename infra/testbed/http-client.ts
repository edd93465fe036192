import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Sent {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path with its query, or the whole URL if the client has no base URL. */
  path: string;
  headers?: Record<string, string | number>;
  /** Bytes are sent unchanged, anything else as JSON. */
  body?: unknown;
  signal?: AbortSignal;
}

export interface WholeResponse {
  status: number;
  text: string;
}

/** An HTTP client that keeps a connection for each concurrent request, and never repeats a request. */
export class HttpClient implements Disposable {
  readonly #url: string;
  readonly #agent: Agent;

  /** `localAddress` is the address from which it connects; by default the system chooses. */
  constructor(url = '', { localAddress }: { localAddress?: string } = {}) {
    this.#url = url;
    this.#agent = new Agent({ keepAlive: true, ...(localAddress && { localAddress }) });
  }

  /** Sends a request and returns the whole response. Rejects if no response arrives. */
  async send(sent: Sent): Promise<WholeResponse> {
    const response = await this.open(sent);
    return { status: response.statusCode!, text: await text(response) };
  }

  /** Sends a request and returns the status, or 0 if no response arrives. */
  async statusOf(sent: Sent): Promise<number> {
    try {
      return (await this.send(sent)).status;
    } catch {
      return 0;
    }
  }

  /** Sends a request and returns the response once its head has arrived. */
  open({ method = 'GET', path, headers = {}, body, signal }: Sent): Promise<IncomingMessage> {
    const bytes = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    const ofBody = bytes && { 'content-type': 'application/json', 'content-length': bytes.length };
    return new Promise((resolve, reject) => {
      const options = { method, agent: this.#agent, headers: { ...ofBody, ...headers }, ...(signal && { signal }) };
      const outgoing = request(`${this.#url}${path}`, options, resolve);
      outgoing.on('error', reject);
      outgoing.end(bytes);
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
