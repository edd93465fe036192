import { expect, onTestFinished, test, vi } from 'vitest';
import { Slots } from './slots.ts';

test('with three slots, an organization has one at a time, and another organization can have one at the same time', async () => {
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

test('a slot rests for as long as its work took if restTimes is 1', async () => {
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

test('with timedMs, the organization that has held slots for the least time in the period goes first', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const slots = new Slots(1, { timedMs: 60_000 });
  const began: string[] = [];
  /** Waits for a slot, and holds it for some seconds of the fake clock. */
  const work = async (name: string, seconds: number) => {
    using _slot = await slots.hold([name]);
    began.push(name);
    vi.advanceTimersByTime(seconds * 1_000);
  };
  await Promise.all([work('slow', 10), work('other', 10), work('slow', 10), work('other', 10), work('quick', 1)]);
  expect(began).toEqual(['slow', 'other', 'quick', 'slow', 'other']);
  vi.advanceTimersByTime(60_001);
  began.length = 0;
  await Promise.all([work('quick', 1), work('slow', 10), work('quick', 1)]);
  expect(began).toEqual(['quick', 'slow', 'quick']);
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
