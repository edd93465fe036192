import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { UI_MESSAGE_STREAM_HEADERS, type UIMessageChunk } from 'ai';

export interface SendOptions {
  response: ServerResponse;
  parts: AsyncIterable<UIMessageChunk>;
  /** Aborted when nobody is to be waited for any more. */
  signal: AbortSignal;
  /** Whether the connection ends with this answer. */
  isLast: boolean;
}

/** Shorter than proxies wait for a sign of life. */
const keepAliveMs = 15_000;

/**
 * Writes the parts of an answer as server-sent events, each as it comes, and no faster than they are read. The SDK has a
 * piece for this that puts four streams behind one another, which took a quarter of the time and memory of an answer.
 */
export async function sendParts({ response, parts, signal, isLast }: SendOptions): Promise<void> {
  response.writeHead(200, { ...UI_MESSAGE_STREAM_HEADERS, connection: isLast ? 'close' : 'keep-alive' });
  // A visitor who is half gone shows when something is sent to them, and pages can say that we are at it.
  response.flushHeaders();
  const silence = setTimeout(() => {
    if (!response.writableNeedDrain) response.write(': keep-alive\n\n');
    silence.refresh();
  }, keepAliveMs);
  let hasText = false;
  try {
    for await (const part of parts) {
      silence.refresh();
      await write(response, `data: ${JSON.stringify(part)}\n\n`, signal);
      // The first words are waited for.
      if (part.type === 'text-delta' && !hasText) response.uncork();
      hasText ||= part.type === 'text-delta';
    }
    response.end('data: [DONE]\n\n');
  } finally {
    clearTimeout(silence);
  }
}

/** Whatever comes within one turn of the event loop leaves together. */
async function write(response: ServerResponse, frame: string, signal: AbortSignal): Promise<void> {
  if (response.writableCorked === 0) {
    response.cork();
    setImmediate(() => response.uncork());
  }
  if (response.write(frame) || signal.aborted) return;
  await once(response, 'drain', { signal }).catch(() => {});
}
