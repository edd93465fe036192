import { Slots } from '@relata/runtime';
import { until } from '@relata/testing';
import { expect, test } from 'vitest';
import { Filling } from './filling.ts';

function fill(size: number, held: Record<string, number>) {
  const slots = new Slots(size);
  for (const [orgId, count] of Object.entries(held)) for (let i = 0; i < count; i++) slots.take([orgId]);
  let over = 0;
  return { slots, filling: new Filling(slots, () => void over++), over: () => over };
}

test('an organization that has most of its places is claimed for once a quarter of them is free', () => {
  const { slots, filling } = fill(64, { a: 31 });
  expect(filling.mayClaim('a')).toBe(false);
  for (let i = 0; i < 7; i++) slots.release(['a']);
  expect(filling.mayClaim('a')).toBe(true);
});

test('few places are claimed for at once where the organization has none, or only a few', () => {
  const { filling } = fill(64, { a: 31, b: 15 });
  expect([filling.mayClaim('a'), filling.mayClaim('other')]).toEqual([false, true]);
  expect(fill(4, { a: 1 }).filling.mayClaim('a')).toBe(true);
});

test('what is free is claimed for after a while, however few', async () => {
  const { filling, over } = fill(64, { a: 31 });
  expect(filling.mayClaim('a')).toBe(false);
  await until(() => expect(over()).toBe(1));
  expect(filling.mayClaim('a')).toBe(true);
  expect(filling.mayClaim('a')).toBe(false);
});

test('an organization that has all of its places is not claimed for', () => {
  const { filling } = fill(64, { a: 32 });
  expect(filling.mayClaim('a')).toBe(false);
});
