import { expect, test } from 'vitest';
import { messageBox } from './message-box.ts';

const rowsOf = (...lines: string[]) => messageBox(lines).split('\n').slice(1, -1);

test('a message is shown in a box, line by line', () => {
  expect(rowsOf('New demo request', '', 'Ada Lovelace')).toEqual(['│ New demo request', '│ ', '│ Ada Lovelace']);
});

test('a message cannot move the cursor, colour text or change its direction', () => {
  const hostile = '\u001b[2J\u001b]0;title\u0007a\rb\bc\u009b1A\u0000d\u202egnp.\u2066\ufeff\u200b\u2028\ud800\ue000e';
  expect(rowsOf(hostile)).toEqual(['│ [2J]0;titleabc1Adgnp.\ufffde']);
});

test('no line is too long for a terminal of 80 columns, in any script', () => {
  const lines = [`${'word '.repeat(40)}end`, 'x'.repeat(200), '漢'.repeat(100), '👩‍🚀'.repeat(60)];
  const widthOf = (row: string) => Array.from(row).reduce((sum, point) => sum + (point > '\u2fff' ? 2 : 1), 0);
  const rows = rowsOf(...lines);
  expect(Math.max(...rows.map(widthOf))).toBeLessThanOrEqual(78);
  expect(rows.filter((row) => !row.startsWith('│ '))).toEqual([]);
  const text = rows.map((row) => row.slice(2)).join('');
  expect(text.replaceAll(' ', '')).toBe(lines.join('').replaceAll(' ', '').replaceAll('\u200d', ''));
});

test('a long message is cut after sixty lines, and the number of further lines is shown', () => {
  const rows = rowsOf(...Array.from({ length: 100 }, (_, at) => `line ${at}`));
  expect(rows).toHaveLength(61);
  expect(rows.at(-1)).toBe('│ … and 40 more lines');
});
