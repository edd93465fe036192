import { Slots } from '@relata/runtime';
import { expect, test } from 'vitest';
import { RunSlot } from './run-slot.ts';

const { signal } = new AbortController();

const newSlots = () => ({ runs: new Slots(2), calls: new Slots(2) });

test('a run that makes a call releases its slot for work, and takes one again before it releases its slot for calls', async () => {
  const slots = newSlots();
  const [first, second] = [new RunSlot(slots, 'a'), new RunSlot(slots, 'a')];
  expect([first.take(), second.take()]).toEqual([true, false]);
  first.leave();
  expect([second.take(), slots.calls.free]).toEqual([true, 1]);
  const resumed = first.resume(signal);
  expect(slots.calls.free).toBe(1);
  second.free();
  await resumed;
  expect([slots.runs.free, slots.calls.free]).toEqual([1, 2]);
  first.free();
  expect(slots.runs.free).toBe(2);
});

test('a run keeps its slot for work during a call if no slot for calls is free', () => {
  const slots = newSlots();
  slots.calls.take(['a']);
  const slot = new RunSlot(slots, 'a');
  slot.take();
  slot.leave();
  expect(slots.runs.free).toBe(1);
});

test('a run that stops waiting for a slot releases the slot that it holds', async () => {
  const slots = newSlots();
  const [first, second] = [new RunSlot(slots, 'a'), new RunSlot(slots, 'a')];
  first.take();
  first.leave();
  second.take();
  const leaving = new AbortController();
  const resumed = first.resume(leaving.signal);
  leaving.abort(new Error('lost'));
  await expect(resumed).rejects.toThrow('lost');
  first.free();
  second.free();
  expect([slots.runs.free, slots.calls.free, slots.runs.waiting]).toEqual([2, 2, 0]);
});
