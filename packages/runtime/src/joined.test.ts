import { expect, test } from 'vitest';
import { JoinedReads } from './joined.ts';

const turn = () => new Promise((resolve) => setTimeout(resolve, 1));

/** Reads that end when the test says so; each gives its own number. */
function controlledReads() {
  const begun: (() => void)[] = [];
  const read = () => new Promise<number>((resolve) => begun.push(() => resolve(begun.length)));
  return { begun, read };
}

test('those who ask while a read waits share it; those who ask for something else do not', async () => {
  const { begun, read } = controlledReads();
  const reads = new JoinedReads<number>();
  const results = [reads.read('a', read), reads.read('a', read), reads.read('b', read)];
  await turn();
  expect(begun).toHaveLength(2);
  for (const finish of begun) finish();
  await Promise.all(results);
});

test('nobody is given what was begun before they asked', async () => {
  const { begun, read } = controlledReads();
  const reads = new JoinedReads<number>();
  const first = reads.read('a', read);
  await turn();
  const second = reads.read('a', read);
  begun[0]!();
  await first;
  await turn();
  expect(begun).toHaveLength(2);
  begun[1]!();
  await second;
});

test('a read that fails fails all who share it, and nobody after', async () => {
  const reads = new JoinedReads<number>();
  const failing = () => Promise.reject(new Error('away'));
  const results = await Promise.allSettled([reads.read('a', failing), reads.read('a', failing)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(reads.read('a', () => Promise.resolve(1))).resolves.toBe(1);
});
