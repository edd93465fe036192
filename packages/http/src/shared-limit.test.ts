import { Messaging } from '@relata/messaging';
import { natsUrl, until } from '@relata/testing';
import { expect, test } from 'vitest';
import { SharedLimit } from './shared-limit.ts';

async function openLimit(
  stack: AsyncDisposableStack,
  points: number,
  windowMs = 60_000,
  name: string = crypto.randomUUID(),
) {
  const messaging = stack.use(new Messaging({ url: natsUrl(), name: 'test' }));
  await messaging.connected(2_000);
  return stack.use(new SharedLimit(name, { points, windowMs }, messaging));
}

test('the limit lets through just as many as it says', async () => {
  await using stack = new AsyncDisposableStack();
  const limit = await openLimit(stack, 3);
  const taken = [await limit.take('a'), await limit.take('a'), await limit.take('a'), await limit.take('a')];
  expect(taken.map(({ isAllowed }) => isAllowed)).toEqual([true, true, true, false]);
  expect(taken.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0]);
  expect(taken[3]!.resetSeconds).toBe(60);
  expect(await limit.take('b')).toMatchObject({ isAllowed: true });
});

test('a new window begins anew', async () => {
  await using stack = new AsyncDisposableStack();
  const limit = await openLimit(stack, 1, 200);
  await limit.take('a');
  expect(await limit.take('a')).toMatchObject({ isAllowed: false, resetSeconds: 1 });
  await until(async () => expect(await limit.take('a')).toMatchObject({ isAllowed: true }), 2_000);
});

test('what one replica lets through counts on the others', async () => {
  await using stack = new AsyncDisposableStack();
  const [first, second] = [
    await openLimit(stack, 100, 60_000, 'shared'),
    await openLimit(stack, 100, 60_000, 'shared'),
  ];
  for (let i = 0; i < 60; i++) await first.take('a');
  await until(async () => expect((await second.take('a')).remaining).toBeLessThanOrEqual(39));
  expect((await second.take('b')).remaining).toBe(99);
});

test('without NATS the limit still holds for the replica itself', async () => {
  await using stack = new AsyncDisposableStack();
  const messaging = stack.use(new Messaging({ url: 'nats://127.0.0.1:1', name: 'test' }));
  const limit = stack.use(new SharedLimit('alone', { points: 1, windowMs: 60_000 }, messaging));
  expect([(await limit.take('a')).isAllowed, (await limit.take('a')).isAllowed]).toEqual([true, false]);
});
