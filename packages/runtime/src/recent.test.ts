import { expect, test } from 'vitest';
import { Recent } from './recent.ts';

test('a value is read once for all callers within `keptMs`, and again afterwards', async () => {
  let reads = 0;
  const kept = new Recent(() => Promise.resolve(++reads), { keptMs: 60_000 });
  expect(await Promise.all([kept.get(), kept.get()])).toEqual([1, 1]);
  expect(await kept.get()).toBe(1);
  const brief = new Recent(() => Promise.resolve(++reads), { keptMs: 0 });
  expect(await brief.get()).toBe(2);
  expect(await brief.get()).toBe(3);
});

test('a value that is not read in time is undefined, and no second read starts meanwhile', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  let reads = 0;
  const recent = new Recent(() => (reads++, promise), { keptMs: 0, waitMs: 20 });
  expect(await recent.get()).toBeUndefined();
  expect(await recent.get()).toBeUndefined();
  expect(reads).toBe(1);
  resolve('late');
  await promise;
  await recent.get();
  expect(await recent.get()).toBe('late');
});

test('a value that cannot be read is undefined', async () => {
  const recent = new Recent(() => Promise.reject(new Error('away')), { keptMs: 60_000 });
  expect(await recent.get()).toBeUndefined();
});
