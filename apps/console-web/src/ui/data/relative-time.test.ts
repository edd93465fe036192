import { expect, test } from 'vitest';
import { relativeText } from './relative-time.ts';

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];
const now = Date.UTC(2026, 10, 24, 12);

test.each([
  [90 * day, 'in 90 days'],
  [90 * day - 5 * second, 'in 90 days'],
  [89 * day, 'in 89 days'],
  [day - second, 'in 1 day'],
  [2 * hour - minute, 'in 2 hr'],
  [59 * minute, 'in 59 min'],
  [15 * minute - second, 'in 15 min'],
  [1 * second, 'just now'],
  [-10 * second, '10 sec ago'],
  [-90 * second, '1 min ago'],
  [-2 * day + second, '1 day ago'],
])('an instant %i ms away is "%s" (found B16)', (ms, text) => {
  expect(relativeText(now + ms, now)).toBe(text);
});
