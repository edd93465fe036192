import { expect, test } from 'vitest';
import { stepSpans } from './step-spans.ts';

const at = (second: number) => new Date(1_000 * second).toISOString();
const failure = (attempt: number, from: number, to: number) => ({
  attempt,
  started_at: at(from),
  finished_at: at(to),
  error: { code: 'bad_status', message: 'Busy.' },
});
const step = {
  path: 'notify',
  use: 'http.request',
  status: 'succeeded' as const,
  attempts: 1,
  max_attempts: 5,
  failures: [],
  error: null,
  wake_at: null,
  started_at: at(10),
  attempt_at: at(10),
  finished_at: at(11),
};
const shown = (given: Partial<Parameters<typeof stepSpans>[0]>, now = 100) =>
  stepSpans({ ...step, ...given }, now * 1_000).map(({ from, to, kind }) => `${kind} ${from / 1_000}-${to / 1_000}`);

test('the span of the last attempt begins at its own start, not at the end of the previous attempt', () => {
  const failures = [failure(1, 10, 11), failure(2, 20, 21)];
  expect(shown({ attempts: 3, failures, attempt_at: at(50), finished_at: at(52) })).toEqual([
    'wait 10-52',
    'failed 10-11',
    'failed 20-21',
    'work 50-52',
  ]);
});

test('a step that waits for its next attempt has only failed attempts, and a wait until now', () => {
  const given = { status: 'waiting' as const, failures: [failure(1, 10, 11)], finished_at: null, wake_at: at(130) };
  expect(shown(given)).toEqual(['wait 10-100', 'failed 10-11']);
});

test('the last failure of a failed step is drawn once', () => {
  const failures = [failure(1, 10, 11), failure(2, 20, 21)];
  const given = { status: 'failed' as const, attempts: 2, failures, attempt_at: at(20), finished_at: at(21) };
  expect(shown(given)).toEqual(['wait 10-21', 'failed 10-11', 'failed 20-21']);
});

test('a step that failed again after a retry of the run shows both failures', () => {
  const given = { status: 'failed' as const, failures: [failure(1, 10, 11)], attempt_at: at(60), finished_at: at(61) };
  expect(shown(given)).toEqual(['wait 10-61', 'failed 10-11', 'failed 60-61']);
});

test('a delay is shown as a wait, and a step that has not begun has no spans', () => {
  expect(shown({ use: 'delay', status: 'succeeded', attempt_at: at(40), finished_at: at(40) })).toEqual(['wait 10-40']);
  expect(shown({ status: 'pending', started_at: null, attempt_at: null, finished_at: null })).toEqual([]);
});
