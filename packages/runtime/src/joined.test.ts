import { expect, test } from 'vitest';
import { type Asker, AskersLeftError, JoinedReads } from './joined.ts';

const turn = () => new Promise((resolve) => setTimeout(resolve, 1));

/** Reads that end when the test says so; each gives its own number. */
function controlledReads() {
  const begun: (() => void)[] = [];
  const read = () => new Promise<number>((resolve) => begun.push(() => resolve(begun.length)));
  return { begun, read };
}

const newAsker = () => ({ hasLeft: false, onLeft: undefined }) as Asker & { hasLeft: boolean };
const staying = newAsker();

const leave = (asker: Asker & { hasLeft: boolean }) => {
  asker.hasLeft = true;
  asker.onLeft?.();
};

test('those who ask while a read waits share it; those who ask for something else do not', async () => {
  const { begun, read } = controlledReads();
  const reads = new JoinedReads<number>();
  const results = [reads.read('a', read, staying), reads.read('a', read, staying), reads.read('b', read, staying)];
  await turn();
  expect(begun).toHaveLength(2);
  for (const finish of begun) finish();
  await Promise.all(results);
});

test('nobody is given what was begun before they asked', async () => {
  const { begun, read } = controlledReads();
  const reads = new JoinedReads<number>();
  const first = reads.read('a', read, staying);
  await turn();
  const second = reads.read('a', read, staying);
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
  const results = await Promise.allSettled([reads.read('a', failing, staying), reads.read('a', failing, staying)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(reads.read('a', () => Promise.resolve(1), staying)).resolves.toBe(1);
});

test('a read goes on as long as anybody wants it, and is given up when all have left', async () => {
  const reads = new JoinedReads<number>();
  const [one, other] = [newAsker(), newAsker()];
  const { promise, resolve } = Promise.withResolvers<AbortSignal>();
  const untilAborted = (signal: AbortSignal) => {
    resolve(signal);
    return new Promise<number>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  };
  const results = [reads.read('a', untilAborted, one), reads.read('a', untilAborted, other)];
  const signal = await promise;
  leave(one);
  expect(signal.aborted).toBe(false);
  leave(other);
  for (const result of results) await expect(result).rejects.toBeInstanceOf(AskersLeftError);
});

test('a read that nobody wants any more when its turn comes is begun as given up', async () => {
  const reads = new JoinedReads<number>();
  const gone = newAsker();
  leave(gone);
  const read = (signal: AbortSignal) => Promise.reject(signal.reason as Error);
  await expect(reads.read('a', read, gone)).rejects.toBeInstanceOf(AskersLeftError);
});
