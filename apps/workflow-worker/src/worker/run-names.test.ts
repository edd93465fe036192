import { expect, test } from 'vitest';
import { RunNames } from './run-names.ts';

const always = () => true;

test('an organization over its share delays no other, and is marked as behind', () => {
  const names = new RunNames();
  for (let i = 0; i < 5_000; i++) names.add(['flood', `f${i}`]);
  names.add(['other', 'o']);
  expect(names.size).toBe(1_025);
  expect(names.take(10, (orgId) => orgId === 'other')).toEqual([['other', 'o']]);
  expect(names.takeBehind(() => false)).toBeUndefined();
  expect([names.takeBehind(always), names.takeBehind(always)]).toEqual(['flood', undefined]);
});

test('names of several organizations are taken in turns, each in its own order', () => {
  const names = new RunNames();
  for (const [orgId, id] of [
    ['a', '1'],
    ['a', '2'],
    ['a', '3'],
    ['b', '4'],
  ] as const)
    names.add([orgId, id]);
  expect(names.take(3, always).map(([, id]) => id)).toEqual(['1', '4', '2']);
  expect(names.take(3, always).map(([, id]) => id)).toEqual(['3']);
});

test('what is overdue goes before all others of its organization, in turns with other organizations, and once', () => {
  const names = new RunNames();
  names.add(['a', 'new']);
  for (const name of [
    ['a', '1'],
    ['a', '2'],
    ['b', '3'],
    ['a', '1'],
  ] as const)
    names.addOverdue(name);
  expect(names.size).toBe(4);
  expect(names.take(10, (orgId) => orgId === 'b').map(([, id]) => id)).toEqual(['3']);
  expect(names.take(10, always).map(([, id]) => id)).toEqual(['1', '2', 'new']);
  names.addOverdue(['a', '1']);
  expect(names.take(10, always).map(([, id]) => id)).toEqual(['1']);
});
