import { expect, test } from 'vitest';
import { readFailure, failureText, waitSeconds } from './failure.ts';

test.each([
  [{ 'retry-after': '7' }, 7],
  [{ 'retry-after': '7', 'ratelimit-reset': '50' }, 7],
  [{ 'ratelimit-reset': '50' }, 50],
  [{ 'retry-after': '0' }, 1],
  [{ 'retry-after': '-5' }, 30],
  [{ 'retry-after': '999999' }, 3_600],
  [{ 'retry-after': '1e9' }, 30],
  [{ 'retry-after': 'soon' }, 30],
  [{}, 30],
])('%j means a wait of %i seconds', (headers, seconds) => {
  expect(waitSeconds(new Headers(headers))).toBe(seconds);
});

test('a date in Retry-After means a wait until then', () => {
  const at = (offsetMs: number) => new Headers({ 'retry-after': new Date(Date.now() + offsetMs).toUTCString() });
  expect(waitSeconds(at(60_000))).toBeGreaterThanOrEqual(58);
  expect(waitSeconds(at(60_000))).toBeLessThanOrEqual(60);
  expect(waitSeconds(at(-60_000))).toBe(1);
});

test.each([
  [401, 'This chat is not set up for this site.'],
  [403, 'This chat is not set up for this site.'],
  [400, 'This message was not accepted. Try again, or start a new conversation.'],
  [413, 'This message was not accepted. Try again, or start a new conversation.'],
  [500, 'The chat is not available right now. Please try again in a moment.'],
  [503, 'The chat is not available right now. Please try again in a moment.'],
])('status %i is shown with a fixed text', (status, text) => {
  expect(failureText(readFailure(new Response('secret', { status })))).toBe(text);
});
