import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Loop, type Round } from './loop.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Starts a loop, and counts its rounds and errors. */
function started(round: Round, inMs = 0) {
  const counts = { rounds: 0, errors: 0 };
  const counted: Round = (signal) => {
    counts.rounds++;
    return round(signal);
  };
  const loop = new Loop(counted, () => void counts.errors++).start(inMs);
  return { loop, counts };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('pauses for the time that a round returns', async () => {
  const { counts } = started(() => 100, 50);
  await pass(49);
  expect(counts.rounds).toBe(0);
  await pass(1);
  expect(counts.rounds).toBe(1);
  await pass(200);
  expect(counts.rounds).toBe(3);
});

test('waits until it is woken after a round that returns Infinity', async () => {
  const { loop, counts } = started(() => Infinity);
  await pass(1_000_000);
  expect(counts.rounds).toBe(1);
  loop.wake();
  await pass(0);
  expect(counts.rounds).toBe(2);
});

test('starts the next round immediately if it is woken during a round, and never runs two rounds at once', async () => {
  const ends: ((ms: number) => void)[] = [];
  const { loop, counts } = started(() => new Promise((resolve) => ends.push(resolve)));
  await pass(0);
  loop.wake();
  loop.wake();
  await pass(0);
  expect(counts.rounds).toBe(1);
  ends[0]!(Infinity);
  await pass(0);
  expect(counts.rounds).toBe(2);
  ends[1]!(Infinity);
  await pass(1_000);
  expect(counts.rounds).toBe(2);
});

test('backs off while rounds fail, even if it is woken, until a round succeeds', async () => {
  let isBroken = true;
  const { loop, counts } = started(() => {
    if (isBroken) throw new Error('broken');
    return Infinity;
  });
  const waking = setInterval(() => loop.wake(), 50);
  await pass(60_000);
  expect(counts.errors).toBe(counts.rounds);
  // The pauses are 0.25, 0.5, 1, 2, 4 and then always 5 s, each with 25 % jitter.
  expect(counts.rounds).toBeGreaterThan(12);
  expect(counts.rounds).toBeLessThan(22);
  isBroken = false;
  await pass(10_000);
  clearInterval(waking);
  [isBroken, counts.errors] = [true, 0];
  loop.wake();
  await pass(1_200);
  expect(counts.errors).toBeGreaterThan(1);
});

test('ends a pause or a back-off at once when it stops; aborts the signal of the current round and waits for it', async () => {
  const pausing = started(() => Infinity);
  const failing = started(() => Promise.reject(new Error('broken')));
  const working = started(
    (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
  );
  await pass(0);
  for (const { loop, counts } of [pausing, failing, working]) {
    const { rounds } = counts;
    await loop[Symbol.asyncDispose]();
    loop.wake();
    await pass(60_000);
    expect(counts.rounds).toBe(rounds);
  }
  expect(working.counts.errors).toBe(0);
});
