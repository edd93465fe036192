import { expect, test, vi } from 'vitest';
import { RestingTurn } from './resting-turn.ts';
import { Slots } from './slots.ts';

test('with three slots, an organization has one at a time, and another has its own beside it', async () => {
  const slots = new Slots(3);
  const [one, two, other] = ['a', 'a', 'b'].map((orgId) => new RestingTurn(slots, [orgId]));
  const began: string[] = [];
  void one!.take().then(() => began.push('one'));
  const second = two!.take().then(() => began.push('two'));
  await other!.take();
  expect(began).toEqual(['one']);
  one![Symbol.dispose]();
  await second;
  two![Symbol.dispose]();
  other![Symbol.dispose]();
  await vi.waitFor(() => expect(slots.free).toBe(3), { timeout: 60_000 });
});

test('a turn is followed by a rest of the same length', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  const slots = new Slots(3);
  const [one, two] = ['a', 'a'].map((orgId) => new RestingTurn(slots, [orgId]));
  await one!.take();
  vi.advanceTimersByTime(40);
  let hasBegun = false;
  const second = two!.take().then(() => (hasBegun = true));
  one![Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(39);
  expect(hasBegun).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await second;
  vi.useRealTimers();
});

test('aborted work does not wait for a turn', async () => {
  const slots = new Slots(1);
  await new RestingTurn(slots, ['a']).take();
  const stop = new AbortController();
  const waiting = new RestingTurn(slots, ['a'], { signal: stop.signal }).take();
  stop.abort();
  await expect(waiting).rejects.toThrow('aborted');
});

test('a turn that never began releases nothing', () => {
  const slots = new Slots(3);
  new RestingTurn(slots, ['a'])[Symbol.dispose]();
  expect(slots.free).toBe(3);
});
