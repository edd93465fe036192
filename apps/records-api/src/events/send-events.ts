import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FeedPage } from '@relata/events';
import { streamComment, streamStart, streamText } from './event-stream.format.ts';

export interface EventSending {
  first: FeedPage;
  /** The pages behind it. */
  pages: AsyncGenerator<FeedPage>;
  /** Aborted when the stream is to end. */
  signal: AbortSignal;
  commentEveryMs: number;
  /** Whether the caller may go on reading; asked before each page and with each comment. */
  isAllowed: () => Promise<boolean>;
  /** Ends the stream. */
  end: () => void;
}

/** What waits for a reader who does not keep up. */
const unreadBytesMax = 1_048_576;

const headers = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'private, no-store',
  // Proxies of the nginx family would collect what belongs to the reader at once.
  'X-Accel-Buffering': 'no',
};

/**
 * Writes pages as they come, until the signal is aborted; a reader for whom too much waits is cut off. Rejects where the
 * pages could not be read; the caller ends the response.
 */
export async function sendEvents(response: ServerResponse, sending: EventSending): Promise<void> {
  const { first, pages, signal, commentEveryMs } = sending;
  response.writeHead(200, headers);
  if (response.req.method === 'HEAD') return;
  write(response, streamStart);
  const commenting = setInterval(() => void sendComment(response, sending), commentEveryMs);
  try {
    for (let page = first; ;) {
      write(response, streamText(page));
      if (response.writableLength > unreadBytesMax) return void response.destroy();
      // Who has much to catch up with takes it at a pace of its own.
      if (page.hasMore && response.writableNeedDrain) await once(response, 'drain', { signal });
      const next = await pages.next();
      if (next.done || !(await sending.isAllowed())) return;
      page = next.value;
    }
  } finally {
    clearInterval(commenting);
  }
}

async function sendComment(response: ServerResponse, { isAllowed, end }: EventSending): Promise<void> {
  if (!(await isAllowed())) return end();
  write(response, streamComment);
}

/** Bytes that wait cost less than text that waits. To write to a response that has ended would be an error. */
function write(response: ServerResponse, text: string): void {
  if (response.writableEnded || response.destroyed) return;
  response.write(text.length > 16_384 ? Buffer.from(text) : text);
}
