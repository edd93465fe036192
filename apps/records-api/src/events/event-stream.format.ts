import type { FeedPage } from '@relata/events';
import { shownEvent } from '@relata/records';

/**
 * A page as server-sent events. A cursor that has moved on over events that do not match is a block with an id alone: it
 * dispatches nothing, and clients keep the id as the last one.
 */
export function streamText({ events, nextCursor }: FeedPage): string {
  const blocks = events.map((event) => `event: ${event.type}\nid: ${event.id}\ndata: ${dataOf(event)}\n\n`);
  return blocks.join('') + (events.at(-1)?.id === nextCursor ? '' : `id: ${nextCursor}\n\n`);
}

/** On one line: JSON escapes line breaks. */
const dataOf = (event: FeedPage['events'][number]) => JSON.stringify(shownEvent(event));
