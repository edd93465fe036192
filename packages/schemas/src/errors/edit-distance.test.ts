import { expect, test } from 'vitest';
import { editDistance } from './edit-distance.ts';

test.each([
  ['', '', 0],
  ['city', 'city', 0],
  ['city', 'cty', 1],
  ['cty', 'city', 1],
  ['city', 'cixy', 1],
  ['city', 'ctiy', 1],
  ['ca', 'abc', 3],
  ['first_name', 'last_name', 3],
])('between %j and %j there are %i edits', (a, b, edits) => {
  expect(editDistance(a, b, 5)).toBe(edits);
});

test('returns the maximum plus 1 for texts that differ by more than the maximum', () => {
  expect(editDistance('abcdef', 'uvwxyz', 2)).toBe(3);
  expect(editDistance('abc', 'abcdefgh', 2)).toBe(3);
  expect(editDistance('kitten', 'sitting', 2)).toBe(3);
});
