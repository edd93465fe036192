import { expect, test, vi } from 'vitest';
import { Batcher, type BatcherOptions, QueueFullError } from './batcher.ts';
import { type WaitingCaller, DisconnectedError } from './waiting-caller.ts';

interface Call {
  items: number[];
  finish(): void;
}

/** Creates a batcher whose batches end when the test says so; negative items are invalid. */
function controlled(options: Partial<BatcherOptions<number, number>> = {}) {
  const calls: Call[] = [];
  const run = async (items: number[]) => {
    await new Promise<void>((resolve) => calls.push({ items, finish: resolve }));
    if (items.some((item) => item < 0)) throw new Error(`bad: ${items.filter((item) => item < 0).join()}`);
    return items.map((item) => item * 10);
  };
  const limits = { itemsMax: 100, flushers: 1, waitingMax: 1_000, ...options };
  return {
    calls,
    batcher: new Batcher({ run, isItemFault: (error) => !String(error).includes('bad: -99'), ...limits }),
  };
}

/** Waits until every batch that may start has started. */
const turn = async () => {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
};

test('items that arrive while a batch runs share the next one, in order', async () => {
  const { calls, batcher } = controlled();
  const first = batcher.add(1);
  await turn();
  const others = [batcher.add(2), batcher.add(3)];
  calls[0]!.finish();
  expect(await first).toBe(10);
  await turn();
  expect(calls[1]!.items).toEqual([2, 3]);
  calls[1]!.finish();
  expect(await Promise.all(others)).toEqual([20, 30]);
});

test('a single item starts at once', async () => {
  const { calls, batcher } = controlled();
  const result = batcher.add(1);
  await turn();
  calls[0]!.finish();
  expect(await result).toBe(10);
});

test('batches are limited in size and in number', async () => {
  const { calls, batcher } = controlled({ itemsMax: 2, flushers: 2 });
  const results = [1, 2, 3, 4, 5].map((item) => batcher.add(item));
  await turn();
  expect(calls.map(({ items }) => items)).toEqual([
    [1, 2],
    [3, 4],
  ]);
  for (const { finish } of calls) finish();
  await results[3];
  await turn();
  calls[2]!.finish();
  expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50]);
});

test('one bad item fails alone', async () => {
  const { calls, batcher } = controlled();
  const results = Promise.allSettled([1, -2, 3].map((item) => batcher.add(item)));
  for (let call = 0; call < 5; call++) {
    while (!calls[call]) await turn();
    calls[call]!.finish();
  }
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('a failure that no item caused is not retried', async () => {
  const { calls, batcher } = controlled();
  const results = Promise.allSettled([1, -99].map((item) => batcher.add(item)));
  await turn();
  calls[0]!.finish();
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(calls).toHaveLength(1);
});

test('if an outage ends a batch, items that have waited for 3 s fail with it, and other items get their own batch', async () => {
  const clock = vi.spyOn(performance, 'now');
  try {
    const isOutage = (error: unknown) => String(error).includes('bad: -99');
    const { calls, batcher } = controlled({ isOutage, waitingMax: 3 });
    const addAt = (ms: number, item: number) => {
      clock.mockReturnValue(ms);
      return batcher.add(item);
    };
    const first = addAt(0, -99);
    await turn();
    const results = Promise.allSettled([first, addAt(1_000, 1), addAt(1_001, 2), addAt(4_000, 3)]);
    calls[0]!.finish();
    await turn();
    expect(calls[1]!.items).toEqual([2, 3]);
    calls[1]!.finish();
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled']);
    expect(batcher.waiting).toBe(0);
  } finally {
    clock.mockRestore();
  }
});

test('a full queue refuses an item at once', async () => {
  const { batcher } = controlled({ waitingMax: 1 });
  void batcher.add(1);
  await expect(batcher.add(2)).rejects.toThrow(QueueFullError);
});

test('batches are limited in weight, and an item that exceeds the limit is executed alone', async () => {
  const { calls, batcher } = controlled({ flushers: 9, weight: { of: Math.abs, batchMax: 10, waitingMax: 1_000 } });
  for (const item of [4, 6, 1, 50, 3]) void batcher.add(item);
  await turn();
  expect(calls.map(({ items }) => items)).toEqual([[4, 6], [1], [50], [3]]);
});

test('the total weight of waiting items is limited', async () => {
  const { calls, batcher } = controlled({ weight: { of: Math.abs, batchMax: 10, waitingMax: 10 } });
  void batcher.add(8);
  await expect(batcher.add(3)).rejects.toThrow(QueueFullError);
  await turn();
  expect(calls).toHaveLength(1);
  void batcher.add(10);
  await expect(batcher.add(1)).rejects.toThrow(QueueFullError);
});

test('organizations take turns in every batch', async () => {
  const { calls, batcher } = controlled({ itemsMax: 4, partyOf: (item) => [String(Math.floor(item / 100))] });
  void batcher.add(1);
  await turn();
  for (const item of [101, 102, 103, 104, 105, 201]) void batcher.add(item);
  calls[0]!.finish();
  await turn();
  expect(calls[1]!.items).toEqual([101, 201, 102, 103]);
});

test('an organization that fills its share of the queue is refused, and others are not', async () => {
  const { batcher } = controlled({ waitingMax: 4, partyOf: (item) => [String(Math.floor(item / 100))] });
  void batcher.add(1);
  await turn();
  const results = [101, 102, 103, 201].map((item) => batcher.add(item));
  await expect(results[2]).rejects.toBeInstanceOf(QueueFullError);
  expect(batcher.waiting).toBe(3);
});

test('an organization has a limited share of a batch only while others are active, too', async () => {
  const partyOf = (item: number) => [item < 100 ? 'small' : 'large'];
  const { calls, batcher } = controlled({ partyOf, itemsMax: 6, partyMax: 2 });
  const results = [101, 102, 103, 104, 105, 106, 107].map((item) => batcher.add(item));
  await turn();
  expect(calls[0]!.items).toEqual([101, 102, 103, 104, 105, 106]);
  results.push(batcher.add(1), batcher.add(108), batcher.add(109));
  calls[0]!.finish();
  await turn();
  expect(calls[1]!.items).toEqual([107, 1, 108]);
  calls[1]!.finish();
  await turn();
  calls[2]!.finish();
  expect(await Promise.all(results)).toHaveLength(10);
});

test('with separate batches, an organization has one at a time, and others do not wait for it', async () => {
  const partyOf = (item: number) => [item < 100 ? 'small' : 'large'];
  const { calls, batcher } = controlled({ partyOf, itemsMax: 2, flushers: 2, areApart: true });
  const results = [101, 102, 103].map((item) => batcher.add(item));
  await turn();
  expect(calls.map(({ items }) => items)).toEqual([[101, 102]]);
  results.push(batcher.add(1));
  await turn();
  expect(calls.map(({ items }) => items)).toEqual([[101, 102], [1]]);
  calls[1]!.finish();
  expect(await results[3]).toBe(10);
  await turn();
  expect(calls).toHaveLength(2);
  calls[0]!.finish();
  await turn();
  expect(calls[2]!.items).toEqual([103]);
  calls[2]!.finish();
  expect(await Promise.all(results)).toHaveLength(4);
});

test('an item whose caller leaves while it waits is not executed and makes room in the queue', async () => {
  const { calls, batcher } = controlled({ waitingMax: 1, itemsMax: 1 });
  const first = batcher.add(1);
  await turn();
  const caller: WaitingCaller & { hasLeft: boolean } = { hasLeft: false, onLeft: undefined };
  const left = batcher.add(2, caller);
  caller.hasLeft = true;
  caller.onLeft!();
  await expect(left).rejects.toThrow(DisconnectedError);
  await expect(batcher.add(3, caller)).rejects.toThrow(DisconnectedError);
  const next = batcher.add(4);
  calls[0]!.finish();
  await first;
  await turn();
  calls[1]!.finish();
  expect([await next, calls.map(({ items }) => items)]).toEqual([40, [[1], [4]]]);
});
