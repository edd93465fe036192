import { connect, type Socket } from 'node:net';

export interface RawRequest {
  url: string;
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string | number>;
  /** Source address; chosen by the system by default. */
  localAddress?: string;
}

/** A connection of a client that stops in the middle of a request or reads nothing, which no library allows. */
export class RawConnection implements Disposable {
  readonly socket: Socket;
  /** Settles when either side has closed the connection. */
  readonly closed: Promise<void>;
  readonly #request: RawRequest;

  constructor(request: RawRequest) {
    this.#request = request;
    const { hostname, port } = new URL(request.url);
    const { localAddress } = request;
    this.socket = connect({ host: hostname, port: Number(port), noDelay: true, ...(localAddress && { localAddress }) });
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
  }

  /** Sends the head; the caller writes the body, if there is one. */
  sendHead(): void {
    const { method, path, headers, url } = this.#request;
    const lines = Object.entries({ host: new URL(url).host, ...headers }).map(([name, value]) => `${name}: ${value}`);
    this.socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  }

  /** Reads only the status of a response and returns it. Returns 0 if the connection was closed before. */
  statusThenStall(): Promise<number> {
    return new Promise((resolve) => {
      this.socket.once('data', (chunk) => {
        this.socket.pause();
        resolve(Number(chunk.toString('latin1', 9, 12)));
      });
      this.socket.once('close', () => resolve(0));
    });
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}
