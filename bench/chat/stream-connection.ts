import { connect, type Socket } from 'node:net';

/** One answer that was read to its end. */
export interface StreamedReply {
  /** From the request sent to the first `text-delta`, and to the end. */
  firstMs: number;
  wholeMs: number;
  /** Frames with a `text-delta`. */
  tokens: number;
}

export interface StreamConnectionOptions {
  host: string;
  port: number;
  /** The bytes of the next request, or undefined when the run is over. */
  next: () => Buffer | undefined;
  /** Ends the run where it throws. */
  onAnswer: (answer: StreamedReply) => void;
}

const tokenMark = '"type":"text-delta"';
const finishMark = /"finishReason":"(?:stop|tool-calls)"/;
/** Frames are written whole, so no mark is torn by the framing of chunks; by that of TCP it may well be. */
const carriedUnits = 64;
/** The length of the part of a wrong answer that is shown. */
const errorUnits = 500;
const streamEnd = 'data: [DONE]\n\n\r\n0\r\n\r\n';
const readBytes = 16_384;

/**
 * One keep-alive connection that, once started, asks as soon as the last answer is whole. It looks for marks in the
 * bytes and parses nothing, so that hundreds of them cost the shared cores little.
 */
export class StreamConnection {
  readonly connected: Promise<void>;
  /** Settled once there is nothing more to send. */
  readonly done: Promise<void>;
  readonly #options: StreamConnectionOptions;
  readonly #socket: Socket;
  #settle!: { resolve: () => void; reject: (error: Error) => void };
  #sentAt = 0;
  #firstAt: number | undefined;
  #tokens = 0;
  #isOk = false;
  #isFinished = false;
  /** The end of what was read before, in which a mark may have begun. */
  #carried = '';

  constructor(options: StreamConnectionOptions) {
    this.#options = options;
    this.done = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    const { host, port } = options;
    const onread = {
      buffer: Buffer.allocUnsafe(readBytes),
      callback: (bytes: number, buffer: Uint8Array) => this.#read((buffer as Buffer).toString('latin1', 0, bytes)),
    };
    const connected = Promise.withResolvers<void>();
    this.connected = connected.promise;
    this.#socket = connect({ host, port, noDelay: true, onread }, connected.resolve);
    this.#socket.on('error', connected.reject);
    this.#socket.on('error', this.#settle.reject);
    this.#socket.on('close', () => this.#settle.reject(new Error('The server closed a connection.')));
  }

  start(): void {
    this.#send();
  }

  #send(): void {
    const request = this.#options.next();
    if (!request) {
      this.#settle.resolve();
      this.#socket.destroy();
      return;
    }
    [this.#firstAt, this.#tokens, this.#isOk, this.#isFinished, this.#carried] = [undefined, 0, false, false, ''];
    this.#sentAt = performance.now();
    this.#socket.write(request);
  }

  #read(piece: string): boolean {
    try {
      if (!this.#isOk) this.#checkStatus(piece);
      this.#lookAt(piece);
    } catch (error) {
      this.#settle.reject(error as Error);
      this.#socket.destroy();
    }
    return true;
  }

  /** The first line of an answer is never torn: it is written with the whole of the head. */
  #checkStatus(piece: string): void {
    if (!piece.startsWith('HTTP/1.1 200 ')) throw new Error(`An answer was ${piece.slice(0, errorUnits)}`);
    this.#isOk = true;
  }

  #lookAt(piece: string): void {
    const text = this.#carried + piece;
    // What lies in the carried part as a whole was counted before.
    const from = Math.max(0, this.#carried.length - tokenMark.length + 1);
    for (let at = text.indexOf(tokenMark, from); at >= 0; at = text.indexOf(tokenMark, at + tokenMark.length)) {
      this.#firstAt ??= performance.now();
      this.#tokens++;
    }
    this.#isFinished ||= finishMark.test(text);
    if (text.endsWith(streamEnd)) this.#answered(text);
    else this.#carried = text.slice(-carriedUnits);
  }

  #answered(text: string): void {
    if (!this.#isFinished) throw new Error(`An answer was cut off: ${text.slice(-errorUnits)}`);
    const now = performance.now();
    const firstMs = (this.#firstAt ?? now) - this.#sentAt;
    this.#options.onAnswer({ firstMs, wholeMs: now - this.#sentAt, tokens: this.#tokens });
    this.#send();
  }
}
