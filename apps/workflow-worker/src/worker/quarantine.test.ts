import type { ClaimedRun } from '@relata/workflows/execution';
import { expect, test } from 'vitest';
import { Quarantine } from './quarantine.ts';

const run = (id: string, stalls: number, orgId = 'a') => ({ id, org_id: orgId, stalls }) as ClaimedRun;

/** Claims all runs at once, and releases those that must wait. Returns the ids of the admitted runs. */
function claim(quarantine: Quarantine, runs: readonly ClaimedRun[], now = 0): string[] {
  const refused = runs.filter((one) => !quarantine.admit(one, now));
  for (const one of refused) quarantine.add(one);
  return runs.filter((one) => !refused.includes(one)).map(({ id }) => id);
}

const next = (quarantine: Quarantine, now = 0) => quarantine.take(now, () => true)?.[1];

test('stalled runs continue one at a time, in turns by organization; other runs are not delayed', () => {
  const quarantine = new Quarantine();
  const runs = [run('1', 1), run('2', 1), run('3', 1), run('4', 1, 'b'), run('5', 0)];
  expect(claim(quarantine, runs)).toEqual(['1', '5']);
  quarantine.end('5');
  expect(next(quarantine)).toBeUndefined();
  quarantine.end('1');
  expect([next(quarantine), quarantine.admit(run('2', 1), 0), next(quarantine)]).toEqual(['2', true, undefined]);
  quarantine.end('2');
  expect(next(quarantine)).toBe('4');
});

test('the next stalled run gets its turn if another worker claimed the one before it', () => {
  const quarantine = new Quarantine();
  claim(quarantine, [run('1', 1), run('2', 1), run('3', 1)]);
  quarantine.end('1');
  expect([next(quarantine), next(quarantine)]).toEqual(['2', '3']);
});

test('an organization without a free slot keeps its turn, and does not delay the others', () => {
  const quarantine = new Quarantine();
  claim(quarantine, [run('1', 1), run('2', 1), run('3', 1, 'b')]);
  quarantine.end('1');
  expect(quarantine.take(0, (orgId) => orgId === 'b')?.[1]).toBe('3');
  expect(next(quarantine)).toBe('2');
});

test('a stalled run that only waits for a response does not block the turns of the others', () => {
  const quarantine = new Quarantine();
  claim(quarantine, [run('1', 1), run('2', 1), run('3', 1)]);
  expect([quarantine.turnInMs(0), next(quarantine, 9_999)]).toEqual([10_000, undefined]);
  expect([next(quarantine, 10_000), quarantine.admit(run('2', 1), 10_000)]).toEqual(['2', true]);
  expect([quarantine.progress('2', 11_000), quarantine.progress('2', 11_100)]).toEqual([true, false]);
  expect([quarantine.turnInMs(11_100), next(quarantine, 11_499), next(quarantine, 11_500)]).toEqual([
    400,
    undefined,
    '3',
  ]);
});

test('nothing else is claimed while a run that stalled again is executed, until it ends or a few seconds have passed', () => {
  const quarantine = new Quarantine();
  quarantine.admit(run('1', 2), 0);
  expect([quarantine.quietMs(0), quarantine.quietMs(4_000), quarantine.quietMs(5_000)]).toEqual([5_000, 1_000, 0]);
  quarantine.end('1');
  quarantine.admit(run('2', 2), 6_000);
  expect(quarantine.quietMs(6_000)).toBe(5_000);
  quarantine.end('2');
  expect(quarantine.quietMs(6_000)).toBe(0);
  quarantine.admit(run('3', 1), 7_000);
  expect(quarantine.quietMs(7_000)).toBe(0);
});

test('after progress of a run that stalled again, claiming continues as soon as its turn ends', () => {
  const quarantine = new Quarantine();
  claim(quarantine, [run('1', 2), run('2', 2)]);
  quarantine.progress('1', 1_000);
  expect([quarantine.quietMs(1_000), quarantine.turnInMs(1_000)]).toEqual([500, 500]);
  expect([quarantine.quietMs(1_500), next(quarantine, 1_500)]).toEqual([0, '2']);
});
