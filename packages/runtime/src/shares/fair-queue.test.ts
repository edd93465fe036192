import { queryObjects } from 'node:v8';
import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

function queueOf(items: readonly string[]): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const item of items) queue.add([item[0]!], item);
  return queue;
}

function drain(queue: FairQueue<string>): string[] {
  const taken: string[] = [];
  for (let item = queue.take(); item; item = queue.take()) taken.push(item);
  return taken;
}

test('organizations take turns, and each keeps the order of its own items', () => {
  expect(drain(queueOf(['a1', 'a2', 'a3', 'b1', 'c1', 'c2']))).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
});

test('an organization that adds items while it waits does not get its turn earlier', () => {
  const queue = queueOf(['a1', 'a2', 'b1']);
  expect(queue.take()).toBe('a1');
  queue.add(['a'], 'a3');
  expect(drain(queue)).toEqual(['b1', 'a2', 'a3']);
});

test('an organization that cannot proceed now keeps its turn, and does not delay the others', () => {
  const queue = queueOf(['a1', 'b1', 'b2']);
  expect(queue.take((item) => !item.startsWith('a'))).toBe('b1');
  expect(queue.take(() => false)).toBeUndefined();
  expect(drain(queue)).toEqual(['a1', 'b2']);
});

test('an item that no longer waits is removed once', () => {
  const queue = queueOf(['a1', 'a2', 'b1']);
  expect([queue.remove(['a'], 'a1'), queue.remove(['a'], 'a1'), queue.remove(['c'], 'c1')]).toEqual([
    true,
    false,
    false,
  ]);
  expect([queue.size, drain(queue)]).toEqual([2, ['a2', 'b1']]);
});

test('a long queue of one organization is taken completely and in order', () => {
  const items = Array.from({ length: 5_000 }, (_, i) => `a${i}`);
  const queue = queueOf(items);
  expect(drain(queue)).toEqual(items);
  expect(queue.size).toBe(0);
});

test('items that were taken are not kept, even if others still wait', () => {
  class Item {}
  const queue = new FairQueue<Item>();
  for (let i = 1; i <= 3; i++) queue.add(['a'], new Item());
  for (let i = 1; i <= 2; i++) queue.take();
  expect(queryObjects(Item)).toBe(1);
  expect(queue.size).toBe(1);
});
