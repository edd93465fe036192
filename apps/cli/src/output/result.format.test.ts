import { expect, test } from 'vitest';
import { printable, recordText, tableText } from './result.format.ts';

const unseen = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffb],
  [0xe0000, 0xe01ef],
] as const;

test('invisible characters and control characters are escaped', () => {
  for (const [from, to] of unseen)
    for (let code = from; code <= to; code++)
      expect(printable(`a${String.fromCodePoint(code)}b`), code.toString(16)).toMatch(/^a\\(u\{[0-9a-f]+\}|[nrt])b$/);
  expect(printable('Ada\u200b\u{e0041}')).toBe('Ada\\u{200b}\\u{e0041}');
});

test('text of any language is printed unchanged', () => {
  const texts = ['Ærøskøbing', '日本語', 'العربية', 'हिन्दी', '😀', 'O\'Brien \\ "x" {y}'];
  for (const text of texts) expect(printable(text)).toBe(text);
});

test('names, cells and columns contain no invisible characters', () => {
  expect(recordText({ 'na\u200bme': 'va\u2060lue', list: ['\u{e0041}'] })).toBe(
    'na\\u{200b}me  va\\u{2060}lue\nlist          \\u{e0041}',
  );
  expect(tableText([{ name: 'a\u200fb' }], ['name'])).toBe('NAME\na\\u{200f}b');
});

test('one long name does not move the values of all others', () => {
  const [, second] = recordText({ ['x'.repeat(1_000)]: 1, y: 2 }).split('\n');
  expect(second).toBe(`${'y'.padEnd(60)}  2`);
});
