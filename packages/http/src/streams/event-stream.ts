import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Exchange } from '../exchange/exchange.ts';

export interface EventStreamOptions {
  /** Time after which the stream ends and its client reconnects. */
  lastsMs: number;
  commentEveryMs: number;
  /** Delay after which the client reconnects. */
  retryMs: number;
  /** Returns true if the caller may continue reading; called before each comment. Must not reject. */
  isAllowed: () => Promise<boolean>;
}

/** Maximum number of bytes that wait for a slow reader. */
const unreadBytesMax = 1_048_576;

const headers = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'private, no-store',
  // Proxies of the nginx family would otherwise buffer the stream.
  'X-Accel-Buffering': 'no',
};

/**
 * A response of server-sent events. It ends at its maximum duration, when the process stops, or when the caller loses
 * permission to read.
 */
export class EventStream {
  readonly #exchange: Exchange;
  readonly #options: EventStreamOptions;
  readonly #ending = new AbortController();
  #deadline: NodeJS.Timeout | undefined;
  #commenting: NodeJS.Timeout | undefined;

  constructor(exchange: Exchange, options: EventStreamOptions) {
    this.#exchange = exchange;
    this.#options = options;
    exchange.response.once('close', this.end);
  }

  /** Aborted when the stream must end. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  get #response(): ServerResponse {
    return this.#exchange.response;
  }

  /** Sends the head; returns false for a HEAD request. */
  begin(): boolean {
    const { stopping } = this.#exchange;
    this.#response.writeHead(200, headers);
    stopping.addEventListener('abort', this.end, { once: true });
    if (stopping.aborted) this.end();
    if (this.#response.req.method === 'HEAD') return false;
    this.write(`retry: ${this.#options.retryMs}\n\n`);
    if (this.signal.aborted) return true;
    this.#deadline = setTimeout(this.end, this.#options.lastsMs);
    this.#commenting = setInterval(() => void this.#comment(), this.#options.commentEveryMs);
    return true;
  }

  /** Writes text. If too many bytes wait for the reader, it closes the connection and returns false. */
  write(text: string | Buffer): boolean {
    const response = this.#response;
    // Writing to a response that has ended would be an error.
    if (response.writableEnded || response.destroyed) return true;
    // A Buffer that waits for the reader needs less memory than a string.
    response.write(typeof text === 'string' && text.length > 16_384 ? Buffer.from(text) : text);
    if (response.writableLength <= unreadBytesMax) return true;
    response.destroy();
    return false;
  }

  /** Waits until everything written has been handed to the connection; rejects when the stream must end. */
  async drained(): Promise<void> {
    if (this.#response.writableNeedDrain) await once(this.#response, 'drain', { signal: this.signal });
  }

  isAllowed(): Promise<boolean> {
    return this.#options.isAllowed();
  }

  readonly end = (): void => {
    clearTimeout(this.#deadline);
    clearInterval(this.#commenting);
    this.#exchange.stopping.removeEventListener('abort', this.end);
    this.#ending.abort();
  };

  /** Ends the stream and its response. */
  close(): void {
    this.end();
    this.#response.end();
  }

  /** Writes a comment as a sign of life, or ends the stream if the caller has lost permission. */
  async #comment(): Promise<void> {
    if (!(await this.isAllowed())) return this.end();
    this.write(':\n\n');
  }
}
