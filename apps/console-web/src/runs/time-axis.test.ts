import { expect, test } from 'vitest';
import { axisTicks } from './time-axis.ts';

const textsOf = (tookMs: number) => axisTicks(tookMs).map(({ text }) => text);

test('an axis has round times in one unit', () => {
  expect(textsOf(0)).toEqual(['0']);
  expect(textsOf(1_400)).toEqual(['0', '500 ms', '1000 ms']);
  expect(textsOf(15)).toEqual(['0', '10 ms']);
  expect(textsOf(15_200)).toEqual(['0', '10 s']);
  expect(textsOf(95_000)).toEqual(['0', '1 min']);
  expect(textsOf(3 * 86_400_000)).toEqual(['0', '2 d']);
});

test('an axis of any length has two or three times, and none beyond its end', () => {
  for (let tookMs = 2; tookMs < 1e12; tookMs = Math.ceil(tookMs * 1.07)) {
    const ticks = axisTicks(tookMs);
    expect(ticks.length, `${tookMs} ms`).toBeGreaterThan(1);
    expect(ticks.length, `${tookMs} ms`).toBeLessThanOrEqual(3);
    expect(ticks.at(-1)!.ms).toBeLessThanOrEqual(tookMs);
  }
});
