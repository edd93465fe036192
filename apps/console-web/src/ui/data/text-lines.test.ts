import { expect, test } from 'vitest';
import { wrapText } from './text-lines.ts';

test('lines have all of a text in its order, and none is longer than asked for', () => {
  const text = 'abcdefghij'.repeat(52_429);
  const lines = wrapText(text, 97);
  expect(lines.join('')).toBe(text);
  expect(Math.max(...lines.map(({ length }) => length))).toBe(97);
});

test('a text keeps its own line breaks and empty lines', () => {
  expect(wrapText('{\r\n\n  "a": 1\r}', 80)).toEqual(['{', '', '  "a": 1', '}']);
  expect(wrapText('', 80)).toEqual(['']);
});

test('a line breaks within no character, and half a one is kept as it is', () => {
  expect(wrapText('a😀b', 2)).toEqual(['a😀', 'b']);
  expect(wrapText('a\uDE00b\uD83D', 2)).toEqual(['a\uDE00', 'b\uD83D']);
});
