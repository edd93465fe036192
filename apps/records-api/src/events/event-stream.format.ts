import type { FeedPage } from '@relata/events';
import { shownEvent } from '@relata/records';

/** The first lines of a stream: who is cut off comes back after a second. */
export const streamStart = 'retry: 1000\n\n';

/** A comment, which shows that the stream is alive. */
export const streamComment = ':\n\n';

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
