import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HashTurns } from './hash-turns.ts';

// Uses a fake clock, because waiting callers would be refused if the machine stalled.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const hashMs = 20;
const compare = (isRight: boolean) => async () => {
  await new Promise((resolve) => setTimeout(resolve, hashMs));
  return isRight;
};

/** Starts guesses from many sites at unknown e-mail addresses. */
const crowdAt = (turns: HashTurns, count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => turns.runStranger(`crowd ${from + i}`, false, compare(false)));

async function timeOf<Result>(work: Promise<Result>): Promise<{ result: Result; ms: number }> {
  const beganAt = performance.now();
  const result = await work;
  return { result, ms: performance.now() - beganAt };
}

test('a wrong password takes as long as a concurrent guess at an unknown address, and a right one overtakes both (found A3)', async () => {
  const turns = new HashTurns();
  const crowd = crowdAt(turns, 60);
  const wrong = timeOf(turns.runStranger('wrong', true, compare(false)));
  const unknown = timeOf(turns.runStranger('unknown', false, compare(false)));
  const right = timeOf(turns.runStranger('right', true, compare(true)));
  const known = timeOf(turns.run('known', compare(true)));
  crowd.push(...crowdAt(turns, 20, 60));
  await vi.runAllTimersAsync();
  const [ofWrong, ofUnknown, ofRight, ofKnown] = await Promise.all([wrong, unknown, right, known]);
  await Promise.all(crowd);
  expect([ofWrong.result, ofUnknown.result, ofRight.result]).toEqual([false, false, true]);
  expect(ofWrong.ms / ofUnknown.ms).toBeGreaterThan(0.8);
  expect(ofWrong.ms / ofUnknown.ms).toBeLessThan(1.25);
  expect(Math.max(ofRight.ms, ofKnown.ms)).toBeLessThan(ofUnknown.ms / 3);
});

test('a site that floods does not delay another, and excess attempts are refused at once (found A3)', async () => {
  const turns = new HashTurns();
  const flood = Array.from({ length: 700 }, () => turns.runStranger('flood', false, compare(false)));
  const settled = Promise.allSettled(flood);
  const others = timeOf(turns.runStranger('other', false, compare(false)));
  await vi.runAllTimersAsync();
  const other = await others;
  expect(other.ms).toBeLessThan(1_000);
  const refused = (await settled).filter(({ status }) => status === 'rejected');
  expect(refused.length).toBeGreaterThanOrEqual(200);
});
