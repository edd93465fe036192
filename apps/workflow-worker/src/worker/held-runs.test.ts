import type { ClaimedRun } from '@relata/workflows/execution';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HeldRuns } from './held-runs.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const run = (id: string, orgId = 'a') => ({ id, org_id: orgId, epoch: 1 }) as ClaimedRun;

test('aborts the runs whose lease was lost, but not a run that was claimed during the renewal', () => {
  const held = new HeldRuns();
  const [kept, lost, ended] = [run('1'), run('2'), run('3')];
  const signals = [kept, lost].map((one) => held.add(one));
  held.add(ended);
  const { runs } = held;
  held.delete(ended);
  signals.push(held.add(run('4')));
  expect(held.abortAllBut(new Set(['1']), runs)).toBe(1);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, true, false]);
});

test('lets runs continue for a while when the worker stops, then aborts the remaining runs and any run claimed later', async () => {
  const held = new HeldRuns();
  const [quick, slow] = [run('1'), run('2')];
  const [ofQuick, ofSlow] = [held.add(quick), held.add(slow)];
  held.abortIn(1_000);
  let hasEnded = false;
  const ended = held.ended().then(() => void (hasEnded = true));
  held.delete(quick);
  await vi.advanceTimersByTimeAsync(999);
  expect([ofSlow.aborted, hasEnded]).toEqual([false, false]);
  await vi.advanceTimersByTimeAsync(1);
  expect([ofQuick.aborted, ofSlow.aborted, held.add(run('3')).aborted]).toEqual([false, true, true]);
  for (const one of held.runs) held.delete(one);
  await ended;
  expect([held.count, await held.ended()]).toEqual([0, undefined]);
});
