import { expect, test } from 'vitest';
import { findIdlePeriods, withoutIdlePeriods } from './idle-periods.ts';

const at = (second: number) => new Date(1_800_000_000_000 + second * 1_000).toISOString();
const ms = (second: number) => Date.parse(at(second));

function stepOf(attempts: [from: number, to: number][], last: number) {
  const failures = attempts.map(([from, to], attempt) => ({
    attempt,
    started_at: at(from),
    finished_at: at(to),
    error: { code: 'x', message: 'No.' },
  }));
  return { failures, started_at: at(0), attempt_at: at(last) };
}

test('the duration excludes the time in which a failed run waited for a retry, but not waits between attempts (found B5)', () => {
  const steps = [
    stepOf(
      [
        [0, 1],
        [5, 6],
        [546, 547],
      ],
      550,
    ),
  ];
  const idlePeriods = findIdlePeriods({ idle_ms: 540_000, steps });
  expect(idlePeriods).toEqual([{ from: ms(6), ms: 540_000 }]);
  const own = (from: number, to: number) =>
    withoutIdlePeriods(idlePeriods, ms(to)) - withoutIdlePeriods(idlePeriods, ms(from));
  expect(own(0, 551)).toBe(11_000);
  expect(own(0, 6)).toBe(6_000);
  expect(own(546, 551)).toBe(5_000);
});

test('finds no rest if a run was never retried or its attempts have no times (found B5)', () => {
  expect(findIdlePeriods({ idle_ms: 0, steps: [stepOf([[0, 1]], 500)] })).toEqual([]);
  expect(findIdlePeriods({ idle_ms: 60_000, steps: [] })).toEqual([]);
});
