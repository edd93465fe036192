import type { ClaimedRun } from '@relata/workflows/execution';
import { expect, test, vi } from 'vitest';
import { StalledRuns } from './stalled-runs.ts';

const run = (id: string, stalls: number, orgId = 'a') => ({ id, org_id: orgId, stalls }) as ClaimedRun;

/** With the names of those whose turn came. */
function newStalledRuns() {
  const turns: string[] = [];
  return { turns, stalled: new StalledRuns(([, id]) => void turns.push(id)) };
}

test('stalled runs are executed one at a time, in turns by organization; other runs are not delayed', () => {
  const { stalled, turns } = newStalledRuns();
  const runs = [run('1', 1), run('2', 1), run('3', 1), run('4', 1, 'b'), run('5', 0)];
  expect(runs.map((one) => stalled.admit(one))).toEqual([true, false, false, false, true]);
  stalled.end('5');
  expect(turns).toEqual([]);
  stalled.end('1');
  expect([turns.at(-1), stalled.admit(run('2', 1))]).toEqual(['2', true]);
  stalled.end('2');
  expect(turns).toEqual(['2', '4']);
});

test('the next stalled run has its turn where another worker has the first', () => {
  const { stalled, turns } = newStalledRuns();
  for (const one of [run('1', 1), run('2', 1), run('3', 1)]) stalled.admit(one);
  stalled.next();
  expect(turns).toEqual([]);
  stalled.end('1');
  stalled.next();
  expect(turns).toEqual(['2', '3']);
});

test('a stalled run that only waits for an answer does not keep the others from their turns', () => {
  vi.useFakeTimers();
  const { stalled, turns } = newStalledRuns();
  for (const one of [run('1', 1), run('2', 1)]) stalled.admit(one);
  vi.advanceTimersByTime(10_000);
  expect([turns, stalled.admit(run('2', 1)), stalled.admit(run('3', 1))]).toEqual([['2'], true, false]);
  stalled.progress('2');
  vi.advanceTimersByTime(500);
  expect(turns).toEqual(['2', '3']);
  vi.useRealTimers();
});

test('nothing is claimed beside a run that stalled again, until it ends or for a few seconds', async () => {
  vi.useFakeTimers();
  const { stalled } = newStalledRuns();
  stalled.admit(run('1', 2));
  const { quiet } = stalled;
  expect(quiet).toBeDefined();
  await vi.advanceTimersByTimeAsync(5_000);
  await quiet;
  expect(stalled.quiet).toBeUndefined();
  stalled.end('1');
  stalled.admit(run('2', 2));
  stalled.end('2');
  expect(stalled.quiet).toBeUndefined();
  vi.useRealTimers();
});
