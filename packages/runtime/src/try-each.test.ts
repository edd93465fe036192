import { expect, test } from 'vitest';
import { tryEach } from './try-each.ts';

test('work goes on after an item for which it fails, and the first error is thrown at the end', async () => {
  const done: number[] = [];
  const work = async (item: number) => {
    if (item > 1) throw new Error(`${item} failed`);
    done.push(item);
  };
  await expect(tryEach([0, 2, 1, 3], work)).rejects.toThrow('2 failed');
  expect(done).toEqual([0, 1]);
  await tryEach([0, 1], work);
});

test('work ends at once if it is aborted', async () => {
  const stop = new AbortController();
  let count = 0;
  const work = async () => {
    count++;
    stop.abort(new Error('stopped'));
    throw new Error('failed');
  };
  await expect(tryEach([0, 1], work, stop.signal)).rejects.toThrow('stopped');
  expect(count).toBe(1);
});
