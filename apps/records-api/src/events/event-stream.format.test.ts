import type { FeedPage } from '@relata/events';
import { expect, test } from 'vitest';
import { streamBytes } from './event-stream.format.ts';

test('a page that several streams share is formatted once (found A4)', () => {
  const page: FeedPage = { events: [], nextCursor: 'start', hasMore: false };
  expect(streamBytes({ ...page })).toBe(streamBytes(page));
  expect(streamBytes(page).toString()).toBe('id: start\n\n');
});
