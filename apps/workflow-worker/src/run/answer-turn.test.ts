import { Slots } from '@relata/runtime';
import { expect, test } from 'vitest';
import { AnswerTurn } from './answer-turn.ts';

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
  expect(slots.free).toBe(3);
});

test('a turn that never came gives nothing back', () => {
  const slots = new Slots(3);
  new AnswerTurn(slots, 'a', never)[Symbol.dispose]();
  expect(slots.free).toBe(3);
});
