import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isServiceAway, reportOutage, watchConnection } from './connection.ts';

const calmMs = 61_000;
let probes: number[];
let backs: number[];
let asked: number | undefined;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  [probes, backs, asked] = [[], [], undefined];
  watchConnection(
    async () => {
      probes.push(Date.now());
      return asked;
    },
    () => void backs.push(Date.now()),
  );
});

afterEach(async () => {
  asked = undefined;
  await vi.advanceTimersByTimeAsync(400_000);
  vi.useRealTimers();
});

test('only the probe ends an outage, even if more requests fail in the meantime', async () => {
  reportOutage();
  await vi.advanceTimersByTimeAsync(500);
  reportOutage();
  expect([isServiceAway(), probes, backs]).toEqual([true, [], []]);
  await vi.advanceTimersByTimeAsync(500);
  expect([isServiceAway(), probes, backs]).toEqual([false, [1_000], [1_000]]);
});

test('a service that fails after each successful probe is probed less and less often, until it has worked for a while', async () => {
  watchConnection(
    () => Promise.resolve(undefined),
    () => {
      backs.push(Date.now());
      if (backs.length < 7) reportOutage();
    },
  );
  await vi.advanceTimersByTimeAsync(calmMs);
  const began = Date.now();
  reportOutage();
  await vi.advanceTimersByTimeAsync(100_000);
  expect(backs.map((at) => at - began)).toEqual([1_000, 3_000, 7_000, 15_000, 30_000, 45_000, 60_000]);
  await vi.advanceTimersByTimeAsync(calmMs);
  const again = Date.now();
  reportOutage();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(backs.at(-1)).toBe(again + 1_000);
});

test('a longer `Retry-After` is respected, whether the first failure or a probe has it', async () => {
  await vi.advanceTimersByTimeAsync(calmMs);
  const began = Date.now();
  asked = 40_000;
  reportOutage(20_000);
  await vi.advanceTimersByTimeAsync(20_000);
  asked = undefined;
  await vi.advanceTimersByTimeAsync(40_000);
  expect(probes.map((at) => at - began)).toEqual([20_000, 60_000]);
  expect(backs.map((at) => at - began)).toEqual([60_000]);
});
