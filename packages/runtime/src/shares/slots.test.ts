import { expect, test } from 'vitest';
import { Loop } from '../loop.ts';
import { Slots } from './slots.ts';

/** Asks for a slot, and records its name when it gets one. */
function ask(slots: Slots, name: string, started: string[], signal?: AbortSignal): Promise<void> {
  const waiting = slots.acquire([name[0]!], signal);
  if (!waiting) started.push(name);
  return (waiting ?? Promise.resolve()).then(() => void (waiting && started.push(name)));
}

const turn = () => new Promise(setImmediate);

test('an organization that fills its share waits for its own slots, and others do not wait', async () => {
  const slots = new Slots(5);
  const started: string[] = [];
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) void ask(slots, name, started);
  expect(started).toEqual(['a1', 'a2', 'b1']);
  slots.release(['a']);
  await turn();
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
});

test('waiting work takes turns by organization', async () => {
  const slots = new Slots(1);
  const started: string[] = [];
  for (const name of ['a1', 'b1', 'b2', 'c1', 'b3']) void ask(slots, name, started);
  for (const name of ['a', 'b', 'c', 'b', 'b']) {
    slots.release([name]);
    await turn();
  }
  expect(started).toEqual(['a1', 'b1', 'c1', 'b2', 'b3']);
  expect(slots.free).toBe(1);
});

test('work that is aborted while it waits takes no slot and delays no other', async () => {
  const slots = new Slots(1);
  const started: string[] = [];
  const leaving = new AbortController();
  void ask(slots, 'a1', started);
  const left = ask(slots, 'b1', started, leaving.signal);
  void ask(slots, 'c1', started);
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  await expect(ask(slots, 'd1', started, AbortSignal.abort(new Error('gone before')))).rejects.toThrow('gone before');
  slots.release(['a']);
  await turn();
  expect([started, slots.waiting]).toEqual([['a1', 'c1'], 0]);
});

test('wakes its loops when a slot becomes free', async () => {
  const slots = new Slots(1);
  let rounds = 0;
  const round = () => {
    rounds++;
    return Infinity;
  };
  await using loop = new Loop(round, () => undefined).start();
  slots.wakes([loop]);
  slots.take(['a']);
  await turn();
  expect(rounds).toBe(1);
  slots.release(['a']);
  await turn();
  expect(rounds).toBe(2);
});
