import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Slots } from '@relata/runtime';
import { Interrupted } from '../interruption.ts';
import { waitToCall } from './network-pass.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;

/** Counts the calls that were allowed to begin. */
function counting(turns: { isShared: boolean }) {
  const startingCalls = new Slots(3);
  const counts: Record<string, number> = {};
  const begin = async (orgId: string, calls: number, signal = never) => {
    counts[orgId] ??= 0;
    const execution = { turns, startingCalls, run: { org_id: orgId }, signal };
    await Promise.all(Array.from({ length: calls }, () => waitToCall(execution).then(() => counts[orgId]!++)));
  };
  return { counts, begin };
}

test('while several organizations have runs, each begins one call every five milliseconds', async () => {
  const { counts, begin } = counting({ isShared: true });
  void begin('large', 10);
  void begin('small', 1);
  await vi.advanceTimersByTimeAsync(0);
  expect(counts).toEqual({ large: 1, small: 1 });
  await vi.advanceTimersByTimeAsync(20);
  expect(counts).toEqual({ large: 5, small: 1 });
});

test('an organization does not wait while no other organization has runs', async () => {
  const { counts, begin } = counting({ isShared: false });
  await begin('large', 100);
  expect(counts).toEqual({ large: 100 });
});

test('a run that ends stops waiting', async () => {
  const { begin } = counting({ isShared: true });
  const ending = new AbortController();
  const waiting = begin('large', 2, ending.signal);
  ending.abort(new Error('lost'));
  await expect(waiting).rejects.toThrow(Interrupted);
});
