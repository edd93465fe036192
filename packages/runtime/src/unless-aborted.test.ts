import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { unlessAborted } from './unless-aborted.ts';

const never = () => new Promise<never>(() => {});

test('returns the result of work that ends before the abort, and leaves no listener on the signal', async () => {
  const { signal } = new AbortController();
  expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1);
  await expect(unlessAborted(Promise.reject(new Error('own')), signal)).rejects.toThrow('own');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test("rejects with the signal's reason if work ignores the signal, also if the signal was aborted before", async () => {
  const reason = new Error('gone');
  await expect(unlessAborted(never(), AbortSignal.abort(reason))).rejects.toBe(reason);
  const aborting = new AbortController();
  const waiting = unlessAborted(never(), aborting.signal);
  aborting.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  expect(getEventListeners(aborting.signal, 'abort')).toEqual([]);
});
