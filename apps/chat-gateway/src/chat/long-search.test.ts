import type { Knowledge } from '@relata/knowledge';
import { until } from '@relata/testing';
import { expect, test } from 'vitest';
import { asking, startTestChat } from '../chat-gateway.harness.ts';

/** Occupies the event loop for longer than one turn may. */
function occupyTurn(): void {
  const until = performance.now() + 5;
  while (performance.now() < until);
}

test('a long search gives way to other requests, even if only one organization uses the process', async () => {
  let rounds = 0;
  let givenWay = 0;
  const knowledge: Knowledge = {
    pageCount: 1,
    search: () => [],
    *searchInSlices() {
      for (let step = 0; step < 5; step++) {
        const before = rounds;
        setImmediate(() => (rounds += 1));
        occupyTurn();
        yield;
        givenWay += rounds > before ? 1 : 0;
      }
      return [];
    },
  };
  await using chat = await startTestChat({ knowledge });
  expect((await chat.tenant.client('POST', '/v1/genie/chat', { body: asking('What does it cost?') })).status).toBe(200);
  // The first pause may end before the callback of `setImmediate`, in the same round of the loop.
  expect(givenWay).toBeGreaterThanOrEqual(4);
});

test('an organization has at most 4 searches at a time, so that their memory is bounded and other organizations can search', async () => {
  let [running, most, isReleased] = [0, 0, false];
  const knowledge: Knowledge = {
    pageCount: 1,
    search: () => [],
    *searchInSlices() {
      most = Math.max(most, ++running);
      while (!isReleased) yield;
      running -= 1;
      return [];
    },
  };
  await using chat = await startTestChat({ knowledge });
  using stack = new DisposableStack();
  stack.defer(() => void (isReleased = true));
  const ask = ({ client }: typeof chat.tenant, visitor: number) => {
    const headers = { 'x-forwarded-for': `192.0.2.${visitor}` };
    return client('POST', '/v1/genie/chat', { body: asking('What does it cost?'), headers });
  };
  const flood = Array.from({ length: 20 }, (_, visitor) => ask(chat.tenant, visitor));
  await until(() => expect(running).toBe(4));
  const other = ask(chat.other, 1);
  await until(() => expect(running).toBe(5));
  const openCount = async () => (await chat.metrics.getSingleMetric('chat_streams_open')!.get()).values[0]?.value;
  await until(async () => expect(await openCount()).toBe(21));
  isReleased = true;
  expect((await Promise.all([other, ...flood])).map(({ status }) => status)).toEqual(Array(21).fill(200));
  expect(most).toBe(5);
});
