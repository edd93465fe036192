import { expect, test } from 'vitest';
import { waitMs } from './daily.ts';

const at = (text: string) => Date.parse(`2026-11-26T${text}Z`);
const halfPastTwo = 2 * 60 + 30;
const hour = 3_600_000;

test('a backup is due at once if there is none, or the newest is more than a day old (found D1)', () => {
  expect(waitMs(at('12:00:00'), halfPastTwo, undefined)).toBe(0);
  expect(waitMs(at('12:00:00'), halfPastTwo, at('12:00:00') - 24 * hour - 1)).toBe(0);
});

test('a backup is due at its time of day, today or tomorrow (found D1)', () => {
  expect(waitMs(at('02:00:00'), halfPastTwo, at('01:00:00'))).toBe(hour / 2);
  expect(waitMs(at('02:30:00'), halfPastTwo, at('02:30:00'))).toBe(24 * hour);
  expect(waitMs(at('03:30:00'), halfPastTwo, at('02:30:01'))).toBe(23 * hour);
});
