import { expect, test } from 'vitest';
import { alignTable, fillPlace, wrapText } from './markdown.ts';

test('a paragraph is wrapped at 120 columns, never inside code or a link, and keeps all words', () => {
  const code = `\`${'a b '.repeat(20)}\``;
  const text = `Posts with the same value of ${code}, as [the page of the maker](https://maker.example/a) says, are [one] delivery.`;
  const lines = wrapText(text, '   ').split('\n');
  expect(lines).toHaveLength(2);
  expect(lines.every((line) => line.length <= 120)).toBe(true);
  expect(lines.some((line) => line.includes(code))).toBe(true);
  expect(lines.map((line) => line.trim()).join(' ')).toBe(text);
});

test('a table has columns as wide as their widest cell', () => {
  expect(alignTable(['Kind', 'Time'], [['a', '± 5 min']])).toEqual([
    '| Kind | Time    |',
    '| ---- | ------- |',
    '| a    | ± 5 min |',
  ]);
});

test('the text of a region is replaced, and a page without the region is refused', () => {
  const page = 'Before.\n\n<!-- kinds: made -->\n\nold\n\n<!-- /kinds -->\n\nAfter.\n';
  expect(fillPlace(page, 'kinds', ['$& new'])).toBe(page.replace('old', () => '$& new'));
  expect(() => fillPlace('Before.', 'kinds', [])).toThrow('The page has no region kinds');
});
