import { connect, type Socket } from 'node:net';

export interface RawRequest {
  url: string;
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string | number>;
}

/** A connection on which a client may do what no library does: stop in the middle of a request, or read nothing. */
export class RawConnection implements Disposable {
  readonly socket: Socket;
  /** Settles when the connection is closed, by whichever side. */
  readonly closed: Promise<void>;
  readonly #request: RawRequest;

  constructor(request: RawRequest) {
    this.#request = request;
    const { hostname, port } = new URL(request.url);
    this.socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
  }

  /** Sends the head; the body, if there is one, is for the caller to write. */
  sendHead(): void {
    const { method, path, headers, url } = this.#request;
    const lines = Object.entries({ host: new URL(url).host, ...headers }).map(([name, value]) => `${name}: ${value}`);
    this.socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  }

  /** The status of an answer, and from then on nothing more is read; 0 where the connection was closed before. */
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
