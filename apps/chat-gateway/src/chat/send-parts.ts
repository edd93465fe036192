import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { UI_MESSAGE_STREAM_HEADERS, type UIMessageChunk } from 'ai';

export interface SendOptions {
  response: ServerResponse;
  parts: AsyncIterable<UIMessageChunk>;
  /** Aborted when the answer must no longer wait for a slow reader. */
  signal: AbortSignal;
  /** True if the connection ends with this answer. */
  isLast: boolean;
  /** Maximum silence before a keep-alive; shorter than the timeouts of proxies. */
  keepAliveMs?: number;
}

/** The SDK's headers, and a header that prevents caches from storing the answer. */
const headers = { ...UI_MESSAGE_STREAM_HEADERS, 'cache-control': 'private, no-store' };

/**
 * Writes each part of an answer as a server-sent event when it arrives, but no faster than the client reads. The SDK's
 * own function chains four streams, which is measurably slower.
 */
export async function sendParts({ response, parts, signal, isLast, keepAliveMs = 15_000 }: SendOptions): Promise<void> {
  response.writeHead(200, { ...headers, connection: isLast ? 'close' : 'keep-alive' });
  // Sending the headers early reveals a broken connection, and lets the page show that the answer is being written.
  response.flushHeaders();
  const frames = new Frames(response);
  const silence = setTimeout(() => {
    if (!response.writableNeedDrain) response.write(': keep-alive\n\n');
    silence.refresh();
  }, keepAliveMs);
  let hasText = false;
  try {
    for await (const part of parts) {
      silence.refresh();
      const isTaken = frames.write(`data: ${JSON.stringify(part)}\n\n`);
      // Sends the first text at once, since the visitor is waiting for it.
      if (part.type === 'text-delta' && !hasText) frames.leave();
      hasText ||= part.type === 'text-delta';
      if (!isTaken && !signal.aborted) await once(response, 'drain', { signal }).catch(() => {});
    }
    frames.leave();
    response.end('data: [DONE]\n\n');
  } finally {
    clearTimeout(silence);
  }
}

/**
 * Sends together all frames that are written within one turn of the event loop. `#isHeld` is true while the response is
 * corked. It prevents a second `uncork`, which would cancel the next `cork`.
 */
class Frames {
  readonly #response: ServerResponse;
  #isHeld = false;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** Writes a frame; returns false if the client reads too slowly. */
  write(frame: string): boolean {
    if (!this.#isHeld) {
      this.#isHeld = true;
      this.#response.cork();
      setImmediate(() => this.leave());
    }
    return this.#response.write(frame);
  }

  leave(): void {
    if (this.#isHeld) this.#response.uncork();
    this.#isHeld = false;
  }
}
