import { Shares } from '@relata/runtime';
import { expect, test } from 'vitest';
import { estimateHeapBytes } from './heap-bytes.ts';
import { RunMemory } from './run-memory.ts';

const text = (characters: number) => 'x'.repeat(characters);

function newMemory(size = 1_000_000_000) {
  const budget = new Shares(size);
  const postponed = new Map<string, number>();
  const newRun = (id: string) => {
    const memory = new RunMemory(budget, size, { org_id: 'a', id }, postponed);
    memory.reset(0);
    return memory;
  };
  return { budget, memory: newRun('run'), newRun };
}

test('a run can carry two million characters; a further step exceeds the limit', () => {
  const { memory } = newMemory();
  for (let i = 0; i < 8; i++) memory.add(`step${i}`, text(250_000));
  expect(() => memory.add('more', 'x')).toThrow(/2,000,000 characters/);
});

test("only the last output of a finished iteration counts, and only the loop's own output once the loop has ended", () => {
  const { memory, budget } = newMemory();
  memory.enter(text(1_000));
  for (let i = 0; i < 90; i++) {
    memory.add(`each[${i}].call`, text(300_000));
    memory.add(`each[${i}].last`, text(10_000));
  }
  memory.leaveLoop();
  memory.add('each', text(900_000));
  expect(memory.fits()).toBe(true);
  expect(budget.heldBy(['a'])).toBe(900_000);
});

test("a run that exceeds its organization's share keeps the memory that it holds, and releases all of it at its end", () => {
  const { memory, budget } = newMemory(4_000_000);
  memory.reset(100);
  expect(memory.fits()).toBe(true);
  budget.take(['a'], 1_500_000);
  memory.add('one', text(900_000));
  expect([memory.fits(), budget.heldBy(['a'])]).toEqual([false, 1_500_100]);
  memory[Symbol.dispose]();
  expect(budget.heldBy(['a'])).toBe(1_500_000);
});

test('a run whose body and loop items exceed half of all memory is refused, since it could never get more', () => {
  const { memory, budget } = newMemory(1_000);
  expect(() => memory.reset(501)).toThrow(/body of the delivery/);
  memory.reset(300);
  expect(() => memory.enter(text(201))).toThrow(/together/);
  memory.enter(text(150));
  expect(() => memory.add('each[0].call', text(51))).toThrow(/together/);
  expect([memory.canCarry(50), memory.canCarry(51)]).toEqual([true, false]);
  memory.add('each[0].call', text(50));
  expect([memory.fits(), budget.heldBy(['a'])]).toEqual([true, 500]);
});

test('many small objects count with the memory that they take', () => {
  const many = JSON.stringify(Array.from({ length: 1_000 }, () => ({})));
  expect(estimateHeapBytes(many)).toBeGreaterThan(20 * many.length);
  expect(estimateHeapBytes(JSON.stringify(text(1_000)))).toBe(1_002);
});

test('a postponed run is not loaded again before there is enough memory for it', () => {
  const { newRun } = newMemory(1_000_000);
  const first = newRun('first');
  first.add('a', text(200_000));
  expect(first.fits()).toBe(true);
  expect(newRun('second').mayFit()).toBe(true);
  expect(newRun('second').hasRoomFor(400_000)).toBe(false);
  expect(newRun('second').mayFit()).toBe(false);
  expect(newRun('third').mayFit()).toBe(true);
  first[Symbol.dispose]();
  expect(newRun('second').mayFit()).toBe(true);
});
