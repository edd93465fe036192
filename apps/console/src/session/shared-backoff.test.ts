import { Messaging } from '@relata/messaging';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { personBounds } from './sign-in-limits.ts';
import { SharedBackoff } from './shared-backoff.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

/**
 * Returns the maximum number of attempts within any hour of a three-hour period, if somebody tries as soon as permitted
 * but sometimes pauses for `restMs`.
 */
async function mostInAnHour(restMs: number): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const messaging = stack.use(new Messaging({ url: 'nats://127.0.0.1:1', name: 'test' }));
  const backoff = new SharedBackoff('test', personBounds, messaging);
  const [beganAtMs, times]: [number, number[]] = [Date.now(), []];
  while (Date.now() < beganAtMs + 3 * 3_600_000) {
    const waitMs = backoff.waitOf('a');
    vi.setSystemTime(Date.now() + (waitMs > 5_000 && times.length % 16 === 0 ? Math.max(waitMs, restMs) : waitMs));
    if (backoff.waitOf('a') > 0) continue;
    backoff.take('a');
    times.push(Date.now());
  }
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 3_600_000).length));
}

test.each([0, 60_000, 800_000, 1_800_000])(
  'allows at most 100 guesses per hour at one person, with rests of %i ms (found A2)',
  async (restMs) => expect(await mostInAnHour(restMs)).toBeLessThanOrEqual(100),
);

test('attempts at very many other keys do not make it forget a key with more attempts (found A2)', async () => {
  await using stack = new AsyncDisposableStack();
  const messaging = stack.use(new Messaging({ url: 'nats://127.0.0.1:1', name: 'test' }));
  const backoff = new SharedBackoff('test', personBounds, messaging);
  for (let i = 0; i < 12; i++) backoff.take('a');
  for (let i = 0; i < 120_000; i++) backoff.take(`crowd ${i}`);
  expect(backoff.waitOf('a')).toBeGreaterThan(0);
  // The newest of these keys are still counted, too.
  expect(backoff.levelOf('crowd 119999')).toBe(1);
});

test('the delay grows up to a limit, and an address without guesses comes first (found A2)', async () => {
  await using stack = new AsyncDisposableStack();
  const messaging = stack.use(new Messaging({ url: 'nats://127.0.0.1:1', name: 'test' }));
  const backoff = new SharedBackoff('test', personBounds, messaging);
  const delays: number[] = [];
  const longer: boolean[] = [];
  for (let i = 0; i < 30; i++) {
    const waitMs = backoff.waitOf('a');
    delays.push(Math.round(waitMs / 1_000));
    longer.push(waitMs === 0 || backoff.waitOf('a', 2) > waitMs);
    vi.setSystemTime(Date.now() + waitMs);
    backoff.take('a');
  }
  expect(longer).not.toContain(false);
  expect(delays.slice(0, 10)).toEqual(Array(10).fill(0));
  expect(delays.slice(10)).toEqual(delays.slice(10).toSorted((a, b) => a - b));
  expect(delays.at(-1)).toBe(50);
});
