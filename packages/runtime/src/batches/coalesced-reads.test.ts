import { expect, test } from 'vitest';
import { CoalescedReads } from './coalesced-reads.ts';
import { type WaitingCaller, DisconnectedError } from './waiting-caller.ts';

const turn = () => new Promise((resolve) => setTimeout(resolve, 1));

/** Creates numbered reads that end when the test says so. Each returns its number. */
function controlledReads() {
  const begun: (() => void)[] = [];
  const read = () => new Promise<number>((resolve) => begun.push(() => resolve(begun.length)));
  return { begun, read };
}

const newCaller = () => ({ hasLeft: false, onLeft: undefined }) as WaitingCaller & { hasLeft: boolean };
const staying = newCaller();

const leave = (caller: WaitingCaller & { hasLeft: boolean }) => {
  caller.hasLeft = true;
  caller.onLeft?.();
};

test('callers that arrive while a read waits to start share it; callers of another key do not', async () => {
  const { begun, read } = controlledReads();
  const reads = new CoalescedReads<number>();
  const results = [reads.read('a', read, staying), reads.read('a', read, staying), reads.read('b', read, staying)];
  await turn();
  expect(begun).toHaveLength(2);
  for (const finish of begun) finish();
  await Promise.all(results);
});

test('no caller gets the result of a read that began before the caller asked', async () => {
  const { begun, read } = controlledReads();
  const reads = new CoalescedReads<number>();
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

test('a failed read fails for all its callers, but not for later ones', async () => {
  const reads = new CoalescedReads<number>();
  const failing = () => Promise.reject(new Error('away'));
  const results = await Promise.allSettled([reads.read('a', failing, staying), reads.read('a', failing, staying)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(reads.read('a', () => Promise.resolve(1), staying)).resolves.toBe(1);
});

test('a read continues as long as it has a caller, and is aborted once all have left', async () => {
  const reads = new CoalescedReads<number>();
  const [one, other] = [newCaller(), newCaller()];
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
  for (const result of results) await expect(result).rejects.toBeInstanceOf(DisconnectedError);
});

test('if all callers leave before the turn of their read, the read begins with an aborted signal', async () => {
  const reads = new CoalescedReads<number>();
  const gone = newCaller();
  leave(gone);
  const read = (signal: AbortSignal) => Promise.reject(signal.reason as Error);
  await expect(reads.read('a', read, gone)).rejects.toBeInstanceOf(DisconnectedError);
});
