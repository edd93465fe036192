import { expect, test } from 'vitest';
import { readProcessorTime, shareStolen } from './stolen.ts';

const text = (steal: number, idle = 700) =>
  `cpu  100 20 50 ${idle} 10 5 15 ${steal} 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\nctxt 1\n`;

test('the share that was stolen is that of all processors since the first look', () => {
  const [before, now] = [readProcessorTime(text(100))!, readProcessorTime(text(130, 770))!];
  expect(before).toEqual({ all: 1_000, stolen: 100 });
  expect(shareStolen(before, now)).toBeCloseTo(0.3);
  expect(shareStolen(before, before)).toBe(0);
});

test('a system that does not count it has no share', () => {
  expect(readProcessorTime('')).toBeUndefined();
  expect(readProcessorTime('cpu  1 2 3 4\n')).toBeUndefined();
});
