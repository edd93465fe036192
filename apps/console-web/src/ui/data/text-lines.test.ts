import { expect, test } from 'vitest';
import { wrapText } from './text-lines.ts';

test('the lines together are the text, and no line is longer than requested', () => {
  const text = 'abcdefghij'.repeat(52_429);
  const lines = wrapText(text, 97);
  expect(lines.join('')).toBe(text);
  expect(Math.max(...lines.map(({ length }) => length))).toBe(97);
});

test('a text keeps its own line breaks and empty lines', () => {
  expect(wrapText('{\r\n\n  "a": 1\r}', 80)).toEqual(['{', '', '  "a": 1', '}']);
  expect(wrapText('', 80)).toEqual(['']);
});

test('a line never breaks within a character, and an unpaired surrogate stays as it is', () => {
  expect(wrapText('a😀b', 2)).toEqual(['a😀', 'b']);
  expect(wrapText('a\uDE00b\uD83D', 2)).toEqual(['a\uDE00', 'b\uD83D']);
});
