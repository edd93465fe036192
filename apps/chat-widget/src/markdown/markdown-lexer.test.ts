import { expect, test } from 'vitest';
import { lexMarkdown } from './markdown-lexer.ts';
import { plainText } from './plain-text.ts';
import { tokensIn } from './tokens.ts';

/** Returns how often the lexer applies a regular expression to a text of this length. */
function searchesIn(pattern: string, chars: number): number {
  const text = pattern.repeat(chars).slice(0, chars);
  const { exec } = RegExp.prototype;
  let searches = 0;
  RegExp.prototype.exec = function counted(searched) {
    searches++;
    return exec.call(this, searched);
  };
  try {
    lexMarkdown(text);
  } finally {
    RegExp.prototype.exec = exec;
  }
  return searches;
}

test.each(['_*a', '__*a', '**x*y_', '(*a', '[*a](', '**Name** *', '~~a~', '**_'])(
  'twice as much of %j takes twice as many searches',
  (pattern) => {
    expect(searchesIn(pattern, 8_000) / searchesIn(pattern, 4_000)).toBeLessThan(2.3);
  },
);

test('a long paragraph keeps its text, and its emphasis, links and line breaks between sentences', () => {
  const sentence = 'It has **strong** and [linked](https://a.example) words.  \n';
  const text = sentence.repeat(60).trim();
  const kinds = [...tokensIn(lexMarkdown(text))].map(({ type }) => type);
  const count = (kind: string) => kinds.filter((type) => type === kind).length;
  expect([count('strong'), count('link'), count('br')]).toEqual([60, 60, 59]);
});

test.each(['word ', 'word\n', 'Sentence. ', '字', ' ', '. '])('no character of a long text of %j is lost', (part) => {
  const text = `x${part.repeat(2_000)}x`;
  expect(plainText(text).replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
});
