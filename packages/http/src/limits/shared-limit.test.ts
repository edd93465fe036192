import { limitConsumed, Messaging } from '@relata/messaging';
import { natsUrl, until } from '@relata/testing';
import { describe, expect, test } from 'vitest';
import { SharedLimit } from './shared-limit.ts';

async function openLimit(
  stack: AsyncDisposableStack,
  points: number,
  windowMs = 60_000,
  name: string = crypto.randomUUID(),
) {
  const messaging = stack.use(new Messaging({ url: natsUrl(), name: 'test' }));
  await messaging.connected(60_000);
  return stack.use(new SharedLimit(name, { points, windowMs }, messaging));
}

test('a limit admits exactly as many requests as it says', async () => {
  await using stack = new AsyncDisposableStack();
  const limit = await openLimit(stack, 3);
  const taken = [await limit.take('a'), await limit.take('a'), await limit.take('a'), await limit.take('a')];
  expect(taken.map(({ isAllowed }) => isAllowed)).toEqual([true, true, true, false]);
  expect(taken.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0]);
  expect(taken[3]!.resetSeconds).toBe(60);
  expect(await limit.take('b')).toMatchObject({ isAllowed: true });
});

test('a new window starts from zero', async () => {
  await using stack = new AsyncDisposableStack();
  const limit = await openLimit(stack, 1, 200);
  await limit.take('a');
  expect(await limit.take('a')).toMatchObject({ isAllowed: false, resetSeconds: 1 });
  await until(async () => expect(await limit.take('a')).toMatchObject({ isAllowed: true }));
});

test('requests that one replica admits count on the others', async () => {
  await using stack = new AsyncDisposableStack();
  const [first, second] = [
    await openLimit(stack, 100, 60_000, 'shared'),
    await openLimit(stack, 100, 60_000, 'shared'),
  ];
  for (let i = 0; i < 60; i++) await first.take('a');
  await until(async () => expect((await second.take('a')).remaining).toBeLessThanOrEqual(39));
  expect((await second.take('b')).remaining).toBe(99);
});

test('without NATS the limit still applies within each replica', async () => {
  await using stack = new AsyncDisposableStack();
  const messaging = stack.use(new Messaging({ url: 'nats://127.0.0.1:1', name: 'test' }));
  const limit = stack.use(new SharedLimit('alone', { points: 1, windowMs: 60_000 }, messaging));
  expect([(await limit.take('a')).isAllowed, (await limit.take('a')).isAllowed]).toEqual([true, false]);
});

describe('a message with counts that no replica can have', () => {
  /**
   * Opens a limit and a client that publishes forged counts for it. `publish` returns when the limit has received them.
   */
  async function openForged(stack: AsyncDisposableStack, points: number, windowMs = 60_000) {
    const name = crypto.randomUUID();
    const limit = await openLimit(stack, points, windowMs, name);
    const forger = stack.use(new Messaging({ url: natsUrl(), name: 'forger' }));
    await forger.connected(60_000);
    const publish = async (counts: Record<string, number>) => {
      forger.publish(limitConsumed, { limit: name, counts });
      const mark = crypto.randomUUID();
      // Messages of one sender arrive in order.
      await until(async () => {
        forger.publish(limitConsumed, { limit: name, counts: { [mark]: points } });
        const { isAllowed } = await limit.take(mark);
        // Attempts of this test must not use up the limit.
        if (isAllowed) limit.giveBack(mark);
        expect(isAllowed).toBe(false);
      });
    };
    // The server may not know the subscription of the limit yet, and would drop a message for it.
    await publish({});
    return { limit, publish };
  }

  test('a forged message does not release requests that the replica counted itself', async () => {
    await using stack = new AsyncDisposableStack();
    const { limit, publish } = await openForged(stack, 3);
    for (let i = 0; i < 3; i++) await limit.take('a');
    await publish({ a: -1_000_000_000, fresh: -1_000_000_000 });
    expect(await limit.take('a')).toMatchObject({ isAllowed: false, remaining: 0 });
    expect(await limit.take('fresh')).toMatchObject({ isAllowed: true, remaining: 2 });
  });

  test('a forged message takes back no more than other replicas have counted', async () => {
    await using stack = new AsyncDisposableStack();
    const { limit, publish } = await openForged(stack, 10);
    for (let i = 0; i < 4; i++) await limit.take('a');
    await publish({ a: 3 });
    await publish({ a: -9 });
    expect(await limit.take('a')).toMatchObject({ remaining: 5 });
  });

  test('a forged message counts at most as the whole limit', async () => {
    await using stack = new AsyncDisposableStack();
    const { limit, publish } = await openForged(stack, 3);
    await publish({ a: 1_000_000_000 });
    expect(await limit.take('a')).toMatchObject({ isAllowed: false });
    await publish({ a: -3 });
    expect(await limit.take('a')).toMatchObject({ isAllowed: true, remaining: 2 });
  });

  test('a forged message has no effect on the next window', async () => {
    await using stack = new AsyncDisposableStack();
    const { limit, publish } = await openForged(stack, 3, 300);
    await publish({ a: 3 });
    await until(async () => expect(await limit.take('a')).toMatchObject({ remaining: 2 }));
    await publish({ a: -3 });
    expect((await limit.take('a')).remaining).toBeLessThanOrEqual(2);
  });

  test('a message with more keys than allowed is dropped as a whole', async () => {
    await using stack = new AsyncDisposableStack();
    const { limit, publish } = await openForged(stack, 3);
    const keys = Array.from({ length: 1_001 }, (_, at) => [`k${at}`, 3]);
    await publish(Object.fromEntries(keys));
    expect(await limit.take('k0')).toMatchObject({ isAllowed: true });
  });
});

test('counts of more keys than fit into a message reach the others, too', async () => {
  await using stack = new AsyncDisposableStack();
  const name = crypto.randomUUID();
  const [first, second] = [await openLimit(stack, 50, 60_000, name), await openLimit(stack, 50, 60_000, name)];
  const keys = Array.from({ length: 2_500 }, (_, at) => `k${at}`);
  await Promise.all(keys.map((key) => first.take(key)));
  await until(async () => {
    for (const key of [keys[0]!, keys.at(-1)!]) expect((await second.take(key)).remaining).toBeLessThanOrEqual(48);
  });
});
