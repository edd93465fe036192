import type { FeedPage } from '@relata/events';
import { type EventStream, loopTurns } from '@relata/http';
import { streamBytes } from './event-stream.format.ts';

interface Sent {
  orgId: string;
  first: FeedPage;
  pages: AsyncGenerator<FeedPage>;
}

/**
 * Writes pages as they come, each in a turn of its organization, until the stream must end; a reader with too much
 * waiting data is cut off. Rejects if the pages could not be read; the caller closes the stream.
 */
export async function sendEvents(stream: EventStream, { orgId, first, pages }: Sent): Promise<void> {
  if (!stream.begin()) return;
  for (let page = first; ;) {
    await loopTurns.take([orgId]);
    if (!stream.write(streamBytes(page))) return;
    // A reader that catches up determines its own pace.
    if (page.hasMore) await stream.drained();
    const next = await pages.next();
    if (next.done || !(await stream.isAllowed())) return;
    page = next.value;
  }
}
