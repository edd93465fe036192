import { expect, onTestFinished, test, vi } from 'vitest';
import { largeBodyMs, UnverifiedBodies } from './unverified-bodies.ts';

test('addresses that often occupy the slots for large bodies wait behind an address that has not', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const bodies = new UnverifiedBodies(524_288, 5_242_880);
  const leaving = new AbortController();
  const open = (ip: string) => bodies.openLarge(ip, 'trigger', leaving.signal);
  const occupy = async (ip: string) => {
    while (!leaving.signal.aborted) {
      // A body that has waited for 20 seconds is refused, and the next body of the address waits.
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
