import { expect, onTestFinished, test, vi } from 'vitest';
import { largeBodyMs, UnverifiedBodies } from './unverified-bodies.ts';

test('addresses that occupy the slots for large bodies again and again go after one that has not', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const bodies = new UnverifiedBodies(524_288, 5_242_880);
  const leaving = new AbortController();
  const open = (ip: string) => bodies.openLarge(ip, 'trigger', leaving.signal);
  const occupy = async (ip: string) => {
    while (!leaving.signal.aborted) {
      // After 20 seconds in the queue, a body is refused, and the next one waits.
      using _body = await open(ip).catch(() => null);
      await new Promise((resolve) => setTimeout(resolve, largeBodyMs));
    }
  };
  const strangers = Array.from({ length: 16 }, (_, at) => occupy(`192.0.2.${at}`));
  await vi.advanceTimersByTimeAsync(12 * largeBodyMs);
  let hasSlot = false;
  const honest = open('198.51.100.1').then((body) => {
    hasSlot = true;
    body[Symbol.dispose]();
  });
  await vi.advanceTimersByTimeAsync(largeBodyMs);
  expect(hasSlot).toBe(true);
  leaving.abort();
  await vi.runAllTimersAsync();
  await Promise.all([honest, ...strangers]);
});
