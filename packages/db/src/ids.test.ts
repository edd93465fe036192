import { expect, test } from 'vitest';
import { firstIdAt, newId } from './ids.ts';

test('ids ascend, never repeat, and are current UUIDs of version 7', () => {
  const before = Date.now();
  const ids = Array.from({ length: 100_000 }, newId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
  for (const id of [ids[0]!, ids.at(-1)!]) {
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    const ms = Number.parseInt(id.replace('-', '').slice(0, 12), 16);
    expect(ms).toBeGreaterThanOrEqual(before);
    expect(ms).toBeLessThanOrEqual(Date.now());
  }
});

test('the first id of a time is lower than or equal to all ids of that time, and higher than all before', () => {
  const before = newId();
  const ms = Number.parseInt(before.replace('-', '').slice(0, 12), 16);
  expect(firstIdAt(ms) <= before).toBe(true);
  expect(firstIdAt(ms + 1) > before).toBe(true);
  expect(firstIdAt(0)).toBe('00000000-0000-7000-8000-000000000000');
});
