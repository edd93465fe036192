import { connect, type Socket } from 'node:net';

export interface ConnectionOptions<Request> {
  url: string;
  /** Returns the next request, or undefined when the run is over. */
  next: () => Request | undefined;
}

/**
 * A keep-alive connection that, once started, sends a request as soon as the previous response is complete. Its
 * subclasses read only the parts of a response that they need, so they use far less CPU time than a general client.
 */
export abstract class Connection<Request extends { bytes: Buffer }> {
  readonly connected: Promise<void>;
  /** Settles once no request is left and the last response is complete. */
  readonly done: Promise<void>;
  protected sentAt = 0;
  readonly #next: () => Request | undefined;
  readonly #socket: Socket;
  readonly #done = Promise.withResolvers<void>();

  constructor({ url, next }: ConnectionOptions<Request>, readBytes = 65_536) {
    this.#next = next;
    this.done = this.#done.promise;
    const { hostname: host, port } = new URL(url);
    const onread = {
      buffer: Buffer.allocUnsafe(readBytes),
      callback: (bytes: number, buffer: Uint8Array) => this.#take(bytes, buffer as Buffer),
    };
    const connected = Promise.withResolvers<void>();
    this.connected = connected.promise;
    this.#socket = connect({ host, port: Number(port), noDelay: true, onread }, connected.resolve);
    this.#socket.on('error', connected.reject);
    this.#socket.on('error', this.#done.reject);
    this.#socket.on('close', () => this.#done.reject(new Error('The server closed a connection.')));
    // An error before the start also rejects `done`, so nobody needs to handle this one.
    this.connected.catch(() => {});
  }

  start(): void {
    const request = this.#next();
    if (!request) {
      this.#done.resolve();
      this.#socket.destroy();
      return;
    }
    this.begin(request);
    this.sentAt = performance.now();
    this.#socket.write(request.bytes);
  }

  /** Forgets the previous response. */
  protected abstract begin(request: Request): void;

  /** Reads a piece of the response and returns true once the response is complete. An error ends the run. */
  protected abstract read(bytes: number, buffer: Buffer): boolean;

  #take(bytes: number, buffer: Buffer): boolean {
    try {
      if (this.read(bytes, buffer)) this.start();
    } catch (error) {
      this.#done.reject(error as Error);
      this.#socket.destroy();
    }
    return true;
  }
}

export interface SentRequest {
  bytes: Buffer;
  status: number;
}

/** Maximum size of the head of a response. Ours have a few hundred bytes. */
const headBytesMax = 4_096;

/** A connection for responses with a Content-Length. `onResponse` gets the times of each request and its response. */
export class PlainConnection extends Connection<SentRequest> {
  readonly #onResponse: (sentAt: number, now: number) => void;
  #status = 0;
  /** Number of bytes of the current response that have not arrived yet. Undefined until its head has been read. */
  #missing: number | undefined;
  #head = '';

  constructor(options: ConnectionOptions<SentRequest>, onResponse: (sentAt: number, now: number) => void) {
    super(options);
    this.#onResponse = onResponse;
  }

  protected begin({ status }: SentRequest): void {
    this.#missing = undefined;
    this.#status = status;
  }

  protected read(bytes: number, buffer: Buffer): boolean {
    const rest = this.#missing === undefined ? this.#readHead(buffer, bytes) : this.#missing - bytes;
    this.#missing = rest;
    if (rest !== undefined && rest < 0) throw new Error('An answer was longer than its Content-Length.');
    if (rest !== 0) return false;
    this.#onResponse(this.sentAt, performance.now());
    return true;
  }

  /**
   * Returns the number of bytes of the body that are still missing after this piece. Returns undefined if the head is
   * not complete yet.
   */
  #readHead(buffer: Buffer, bytes: number): number | undefined {
    const before = this.#head.length;
    const head = this.#head + buffer.toString('latin1', 0, Math.min(bytes, headBytesMax));
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) {
      if (head.length >= headBytesMax) throw new Error(`The head of an answer has more than ${headBytesMax} bytes.`);
      this.#head = head;
      return undefined;
    }
    this.#head = '';
    if (Number(head.slice(9, 12)) !== this.#status)
      throw new Error(`Expected status ${this.#status}, received: ${head.slice(0, 200)}`);
    return contentLength(head) - (bytes - (end + 4 - before));
  }
}

function contentLength(head: string): number {
  const at = head.indexOf('\r\nContent-Length: ');
  if (at < 0) throw new Error('An answer has no Content-Length.');
  return Number.parseInt(head.slice(at + 18, at + 28), 10);
}

/** Returns the bytes of a request with a JSON body, if it has one. */
export function requestBytes(url: string, method: string, path: string, headers: object, json = ''): Buffer {
  const ofBody = json ? { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) } : {};
  const all = { Host: new URL(url).host, ...headers, ...ofBody };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${json}`);
}
