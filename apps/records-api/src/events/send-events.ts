import type { FeedPage } from '@relata/events';
import type { EventStream } from '@relata/http';
import { streamText } from './event-stream.format.ts';

/**
 * Writes pages as they come, until the stream is to end; a reader for whom too much waits is cut off. Rejects where the
 * pages could not be read; the caller closes the stream.
 */
export async function sendEvents(
  stream: EventStream,
  { first, pages }: { first: FeedPage; pages: AsyncGenerator<FeedPage> },
): Promise<void> {
  if (!stream.begin()) return;
  for (let page = first; ;) {
    if (!stream.write(streamText(page))) return;
    // Who has much to catch up with takes it at a pace of its own.
    if (page.hasMore) await stream.drained();
    const next = await pages.next();
    if (next.done || !(await stream.isAllowed())) return;
    page = next.value;
  }
}
