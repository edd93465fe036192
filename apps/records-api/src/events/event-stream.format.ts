import type { FeedPage } from '@relata/events';
import { shownEvent } from '@relata/records';

/** Serialized pages, shared by streams at the same position. */
const written = new WeakMap<FeedPage['events'], Buffer>();

/** Returns a page as server-sent events. Pages with the same list of events share the bytes. */
export function streamBytes(page: FeedPage): Buffer {
  const known = written.get(page.events);
  if (known) return known;
  const bytes = Buffer.from(streamText(page));
  written.set(page.events, bytes);
  return bytes;
}

/**
 * Returns the text of a page. If the cursor has moved past events that do not match, a block with only an id follows.
 * Clients dispatch no event for it, but keep the id as their last one.
 */
function streamText({ events, nextCursor }: FeedPage): string {
  const blocks = events.map((event) => `event: ${event.type}\nid: ${event.id}\ndata: ${dataOf(event)}\n\n`);
  return blocks.join('') + (events.at(-1)?.id === nextCursor ? '' : `id: ${nextCursor}\n\n`);
}

/** Returns an event as JSON, which is on one line, since JSON escapes line breaks. */
const dataOf = (event: FeedPage['events'][number]) => JSON.stringify(shownEvent(event));
