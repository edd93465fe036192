import { Slots } from '@relata/runtime';
import { expect, test, vi } from 'vitest';
import { AnswerTurn } from './answer-turn.ts';
import { Interrupted } from './interruption.ts';

const never = new AbortController().signal;

test('large answers of one organization are worked on one by one, and those of another beside them', async () => {
  const slots = new Slots(3);
  const [one, two, other] = ['a', 'a', 'b'].map((orgId) => new AnswerTurn(slots, orgId, never));
  const began: string[] = [];
  void one!.take().then(() => began.push('one'));
  const second = two!.take().then(() => began.push('two'));
  await other!.take();
  expect(began).toEqual(['one']);
  one![Symbol.dispose]();
  await second;
  two![Symbol.dispose]();
  other![Symbol.dispose]();
  await vi.waitFor(() => expect(slots.free).toBe(3));
});

test('a large answer is followed by a rest that is as long', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const slots = new Slots(3);
  const [one, two] = ['a', 'a'].map((orgId) => new AnswerTurn(slots, orgId, never));
  await one!.take();
  vi.advanceTimersByTime(40);
  let hasBegun = false;
  const second = two!.take().then(() => (hasBegun = true));
  one![Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(39);
  expect(hasBegun).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await second;
  vi.useRealTimers();
});

test('a run that is interrupted waits for no turn', async () => {
  const slots = new Slots(1);
  await new AnswerTurn(slots, 'a', never).take();
  const stop = new AbortController();
  const waiting = new AnswerTurn(slots, 'a', stop.signal).take();
  stop.abort();
  await expect(waiting).rejects.toBeInstanceOf(Interrupted);
});

test('a turn that never came gives nothing back', () => {
  const slots = new Slots(3);
  new AnswerTurn(slots, 'a', never)[Symbol.dispose]();
  expect(slots.free).toBe(3);
});
