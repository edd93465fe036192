import { expect, test } from 'vitest';
import { type Party, Shares } from './shares.ts';

/** Takes 1 at a time until it is refused, and returns the total taken. */
function takeAll(shares: Shares, party: Party): number {
  let count = 0;
  while (shares.take(party)) count++;
  return count;
}

test('a single party may hold half', () => {
  expect(takeAll(new Shares(10), ['a'])).toBe(5);
});

test('two parties that take all they can leave a third of the total free', () => {
  const shares = new Shares(9);
  for (let i = 0; i < 9; i++) shares.take([i % 2 === 0 ? 'a' : 'b']);
  expect([shares.heldBy(['a']), shares.heldBy(['b']), shares.free]).toEqual([3, 3, 3]);
});

test('a newcomer gets something as long as anything is free, and no more than is free', () => {
  const shares = new Shares(4);
  for (const name of ['a', 'a', 'a', 'b', 'b', 'c', 'd', 'e']) shares.take([name]);
  expect(['a', 'b', 'c', 'd', 'e'].map((name) => shares.heldBy([name]))).toEqual([2, 1, 1, 0, 0]);
});

test('roomFor returns the amount that a party could take at once', () => {
  const shares = new Shares(10);
  expect(shares.roomFor(['a'])).toBe(5);
  expect(shares.take(['a'], 4)).toBe(true);
  expect([shares.roomFor(['a']), shares.roomFor(['b']), shares.roomFor([])]).toEqual([1, 3, 6]);
  shares.take([], 5);
  expect([shares.roomFor(['a']), shares.roomFor(['b'])]).toEqual([0, 1]);
});

test('a returned amount can be taken again, by any party with room', () => {
  const shares = new Shares(2);
  shares.take(['a']);
  expect(shares.take(['a'])).toBe(false);
  shares.giveBack(['a']);
  expect([shares.free, shares.take(['b']), shares.take(['a'])]).toEqual([2, true, true]);
});

test('one key of an organization leaves room for its other keys, and all of them together for other organizations', () => {
  const shares = new Shares(300);
  const first = takeAll(shares, ['a', 'one']);
  expect(first).toBe(75);
  expect(takeAll(shares, ['a', 'two'])).toBeGreaterThan(20);
  for (let i = 0; i < 50; i++) takeAll(shares, ['a', `key ${i}`]);
  expect(shares.heldBy(['a'])).toBeLessThanOrEqual(150);
  expect(takeAll(shares, ['b', 'one'])).toBeGreaterThan(30);
});

test('a large first amount is taken if it fits', () => {
  const shares = new Shares(10);
  expect([shares.take(['a', 'one'], 11), shares.take(['a', 'one'], 8), shares.take(['a', 'two'], 1)]).toEqual([
    false,
    true,
    false,
  ]);
});

test("an added amount counts even if it exceeds the party's share", () => {
  const shares = new Shares(10);
  shares.add(['a'], 12);
  expect([shares.free, shares.canTake(['a']), shares.canTake(['b'])]).toEqual([-2, false, false]);
  shares.giveBack(['a'], 12);
  expect([shares.free, shares.canTake(['a'], 5), shares.canTake(['a'], 11)]).toEqual([10, true, false]);
});

test('a party without a name may hold everything', () => {
  expect(takeAll(new Shares(10), [])).toBe(10);
});

test('parties that no longer hold anything are removed with their parts', () => {
  const shares = new Shares(4);
  shares.take(['a', 'one'], 2);
  shares.giveBack(['a', 'one'], 2);
  expect([shares.heldBy(['a', 'one']), shares.heldBy(['a']), shares.free]).toEqual([0, 0, 4]);
});
