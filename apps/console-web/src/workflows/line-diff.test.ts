import { expect, test } from 'vitest';
import { type DiffLine, diffLines, folded } from './line-diff.ts';

const signs = { same: ' ', removed: '-', added: '+' };
const shown = (lines: readonly DiffLine[]) => lines.map(({ kind, text }) => `${signs[kind]}${text}`);
const diff = (before: string, after: string) =>
  shown(diffLines(before.replaceAll(' ', '\n'), after.replaceAll(' ', '\n')));

test.for([
  ['a b c', 'a b c', [' a', ' b', ' c']],
  ['a b c', 'a x c', [' a', '-b', '+x', ' c']],
  ['a b', 'a b c', [' a', ' b', '+c']],
  ['b c', 'a b c', ['+a', ' b', ' c']],
  ['a a a', 'a a', [' a', ' a', '-a']],
  ['a b c d e', 'a x c y e', [' a', '-b', '+x', ' c', '-d', '+y', ' e']],
] as const)('the diff from %s to %s is minimal', ([before, after, expected]) => {
  expect(diff(before, after)).toEqual(expected);
});

const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `line ${from + i}`);

test('without the added lines a diff is the old text, and without the removed lines the new text, with line numbers', () => {
  const before = numbered(0, 60).join('\n');
  const after = [...numbered(5, 20), 'x', ...numbered(22, 58), 'y', 'y'].join('\n');
  const lines = diffLines(before, after);
  const ofOne = (without: DiffLine['kind'], side: 'before' | 'after') => {
    const kept = lines.filter(({ kind }) => kind !== without);
    expect(kept.map((line) => line[side])).toEqual(kept.map((_, i) => i + 1));
    return kept.map(({ text }) => text).join('\n');
  };
  expect(ofOne('added', 'before')).toBe(before);
  expect(ofOne('removed', 'after')).toBe(after);
});

test('long texts without a common line count as completely replaced', () => {
  const long = (word: string) => Array.from({ length: 30_000 }, (_, i) => `${word} ${i}`).join('\n');
  const lines = diffLines(long('a'), long('b'));
  expect([lines.length, lines[0]!.kind, lines.at(-1)!.kind]).toEqual([60_000, 'removed', 'added']);
});

test('unchanged lines are folded, except three lines before and after a change', () => {
  const lines = diffLines(numbered(0, 30).join('\n'), numbered(0, 30).with(15, 'x').join('\n'));
  const parts = folded(lines);
  expect(parts.map((part) => (part.kind === 'fold' ? part.lines.length : part.text))).toEqual([
    12,
    ...numbered(12, 16),
    'x',
    ...numbered(16, 19),
    11,
  ]);
});
