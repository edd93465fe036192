import { expectWithin } from '@relata/testing';
import { expect, test } from 'vitest';
import { readPassages } from './passages.ts';

const markdownOf = (markdown: string) => readPassages(markdown).passages.map((passage) => passage.markdown);

test("a passage begins with the headings above it, except the page's title", () => {
  const page = '# Title\n\nFirst.\n\n## A\n\n### B\n\nSecond.\n\n## C\n\nThird.\n';
  expect(readPassages(page)).toEqual({
    title: 'Title',
    passages: [
      { headings: [], markdown: 'First.' },
      { headings: ['A', 'B'], markdown: '## A\n\n### B\n\nSecond.' },
      { headings: ['C'], markdown: '## C\n\nThird.' },
    ],
  });
});

test('a long table is cut between rows, and each part has the header', () => {
  const rows = Array.from({ length: 60 }, (_, i) => `| row ${i} | ${'x'.repeat(40)} |`);
  const parts = markdownOf(['| a | b |', '| - | - |', ...rows].join('\n'));
  expect(parts.length).toBeGreaterThan(2);
  for (const part of parts) {
    expect(part.split('\n').slice(0, 2)).toEqual(['| a | b |', '| - | - |']);
    expect(part.length).toBeLessThanOrEqual(900);
  }
  expect(parts.flatMap((part) => part.split('\n').slice(2))).toEqual(rows);
});

test('a long list is cut between items, and indented lines stay with their items', () => {
  const items = Array.from({ length: 30 }, (_, i) => `- item ${i} ${'y'.repeat(30)}\n  - nested ${i}\n\n  more ${i}`);
  const parts = markdownOf(items.join('\n'));
  expect(parts.length).toBeGreaterThan(1);
  for (const part of parts) expect(part).toMatch(/^- item[^]*more \d+$/);
});

test('long code is cut between lines, and each part is fenced', () => {
  const lines = Array.from({ length: 60 }, (_, i) => `  line ${i} ${'z'.repeat(30)}`);
  const parts = markdownOf(['~~~ts', '# no heading', ...lines, '~~~'].join('\n'));
  expect(parts.length).toBeGreaterThan(1);
  for (const part of parts) expect(part).toMatch(/^~~~ts\n[^]*\n~~~$/);
  expect(parts.join('\n')).toContain('  line 59');
});

test('a long paragraph is cut after a sentence, or between characters if it has none', () => {
  for (const part of markdownOf('A sentence of some words. '.repeat(200))) expect(part).toMatch(/words\.$/);
  const cut = markdownOf(`a${'😀'.repeat(5_000)}`);
  expect(cut.join('')).toBe(`a${'😀'.repeat(5_000)}`);
  for (const part of cut) expect(part.isWellFormed()).toBe(true);
});

test('HTML comments are left out of passages', () => {
  expect(markdownOf('Before <!-- hidden\n\n# too --> after.\n\n<!-- never closed')).toEqual(['Before  after.']);
});

const lines = { headings: '#', spaces: ' ', fences: '`', comments: '<!--', pipes: '|', dashes: '- ', links: '](' };

test.each(Object.entries(lines))('a megabyte of %s is read in linear time', async (_kind, text) => {
  const page = `a${text.repeat(1_000_000 / text.length)}\n${text.repeat(10_000)}`;
  await expectWithin(4_000, () => void readPassages(page));
});
