import { connect, type Socket } from 'node:net';

export interface ConnectionOptions {
  host: string;
  port: number;
  /** The bytes of the next request and the status of its answer, or undefined when the run is over. */
  next: () => SentRequest | undefined;
  onAnswer: (sentAt: number, now: number) => void;
}

export interface SentRequest {
  bytes: Buffer;
  status: number;
}

/** Longest answer head that is read; ours have a few hundred bytes. */
const headBytesMax = 4_096;

/**
 * One keep-alive connection that sends a request as soon as the last answer is whole. It understands only answers
 * with a Content-Length, and costs the shared cores far less than a general client.
 */
export class Connection {
  readonly done: Promise<void>;
  readonly #options: ConnectionOptions;
  readonly #socket: Socket;
  #settle!: { resolve: () => void; reject: (error: Error) => void };
  #sentAt = 0;
  #status = 0;
  /** Bytes of the current answer that are still to come, once its head is read. */
  #missing: number | undefined;
  #head = '';

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.done = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    const { host, port } = options;
    const onread = {
      buffer: Buffer.allocUnsafe(65_536),
      callback: (bytes: number, buffer: Uint8Array) => this.#read(bytes, buffer as Buffer),
    };
    this.#socket = connect({ host, port, noDelay: true, onread }, () => this.#send());
    this.#socket.on('error', this.#settle.reject);
    this.#socket.on('close', () => this.#settle.reject(new Error('The server closed a connection.')));
  }

  #send(): void {
    const request = this.#options.next();
    if (!request) {
      this.#settle.resolve();
      this.#socket.destroy();
      return;
    }
    this.#missing = undefined;
    this.#sentAt = performance.now();
    this.#status = request.status;
    this.#socket.write(request.bytes);
  }

  #read(bytes: number, buffer: Buffer): boolean {
    try {
      const rest = this.#missing === undefined ? this.#readHead(buffer, bytes) : this.#missing - bytes;
      this.#missing = rest;
      if (rest === 0) this.#answered();
      else if (rest !== undefined && rest < 0) throw new Error('An answer was longer than its Content-Length.');
    } catch (error) {
      this.#settle.reject(error as Error);
      this.#socket.destroy();
    }
    return true;
  }

  /** Bytes of the body that this piece does not hold; undefined where the head itself is not whole yet. */
  #readHead(buffer: Buffer, bytes: number): number | undefined {
    const before = this.#head.length;
    const head = this.#head + buffer.toString('latin1', 0, Math.min(bytes, headBytesMax));
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) {
      if (head.length >= headBytesMax) throw new Error('An answer has no end of its head.');
      this.#head = head;
      return undefined;
    }
    this.#head = '';
    if (Number(head.slice(9, 12)) !== this.#status) throw new Error(`An answer was ${head.slice(0, 200)}`);
    return contentLength(head) - (bytes - (end + 4 - before));
  }

  #answered(): void {
    this.#options.onAnswer(this.#sentAt, performance.now());
    this.#send();
  }
}

function contentLength(head: string): number {
  const at = head.indexOf('\r\nContent-Length: ');
  if (at < 0) throw new Error('An answer has no Content-Length.');
  return Number.parseInt(head.slice(at + 18, at + 28), 10);
}
