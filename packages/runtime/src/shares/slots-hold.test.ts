import { expect, test, vi } from 'vitest';
import { Slots } from './slots.ts';

test('with three slots, an organization has one at a time, and another has its own beside it', async () => {
  const slots = new Slots(3);
  const began: string[] = [];
  const hold = async (orgId: string, name: string) => {
    const slot = await slots.hold([orgId], { restTimes: 1 });
    began.push(name);
    return slot;
  };
  const one = await hold('a', 'one');
  const second = hold('a', 'two');
  const other = await hold('b', 'other');
  expect(began).toEqual(['one', 'other']);
  one[Symbol.dispose]();
  (await second)[Symbol.dispose]();
  other[Symbol.dispose]();
  await vi.waitFor(() => expect(slots.free).toBe(3), { timeout: 60_000 });
});

test('a slot rests for as long as its work took, if asked to', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const slots = new Slots(3);
  const one = await slots.hold(['a'], { restTimes: 1 });
  vi.advanceTimersByTime(40);
  let hasBegun = false;
  const second = slots.hold(['a']).then(() => (hasBegun = true));
  one[Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(39);
  expect(hasBegun).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await second;
  vi.useRealTimers();
});

test('a slot that does not rest is free at once, and released only once', async () => {
  const slots = new Slots(3);
  const slot = await slots.hold(['a']);
  await slots.hold(['b']);
  slot[Symbol.dispose]();
  slot[Symbol.dispose]();
  expect(slots.free).toBe(2);
});

test('aborted work does not wait for a slot', async () => {
  const slots = new Slots(1);
  await slots.hold(['a']);
  const stop = new AbortController();
  const waiting = slots.hold(['a'], { signal: stop.signal });
  stop.abort();
  await expect(waiting).rejects.toThrow('aborted');
});

test('work that has waited for too long throws the given error', async () => {
  const slots = new Slots(1);
  await slots.hold(['a']);
  const waiting = slots.hold(['b'], { longestWait: { ms: 1, error: () => new Error('too long') } });
  await expect(waiting).rejects.toThrow('too long');
  expect([slots.free, slots.waiting]).toEqual([0, 0]);
});
