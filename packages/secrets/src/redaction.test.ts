import fc from 'fast-check';
import { expectWithin } from '@relata/testing';
import { describe, expect, test } from 'vitest';
import { cutCharacter, cutEscape, decode, escapes } from './decoded.ts';
import { Redaction } from './redaction.ts';

const secret = 'p@ss "wörd"/+&<1>';
const redaction = new Redaction([secret, 'p@ss', '12345678']);

/** Texts in which the value begins at each of the three possible positions in a base64 group. */
const credentials = ['u', 'us', 'use'].map((user): [string, string] => [
  `base64 of ${user}:SECRET`,
  `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`,
]);

const hexOf = (text: string) => text.charCodeAt(0).toString(16).padStart(4, '0');

/** Returns JSON as PHP writes it, safe inside HTML. */
function phpJson(value: string): string {
  const escaped = JSON.stringify(value).replaceAll('/', '\\/');
  return escaped.replaceAll(/[&<>]/g, (letter) => `\\u${hexOf(letter).toUpperCase()}`);
}

describe('redaction', () => {
  test.for<[string, string]>([
    ['a text', `Wrong: ${secret}!`],
    ['JSON', JSON.stringify({ got: secret })],
    ['a URL', `/x?token=${encodeURIComponent(secret)}&y`],
    ['a form', new URLSearchParams({ token: secret }).toString()],
    ['base64', `Basic ${Buffer.from(secret).toString('base64')}`],
    ['base64url', `t=${Buffer.from(secret).toString('base64url')}`],
    ['HTML', '<b>p@ss &quot;wörd&quot;/+&amp;&lt;1&gt;</b>'],
    ['other letters', secret.toUpperCase()],
    ['JSON with \\/', JSON.stringify({ got: secret }).replaceAll('/', '\\/')],
    ['JSON with \\u0026', JSON.stringify({ got: secret }).replaceAll('&', '\\u0026')],
    ['JSON with \\u003C', JSON.stringify({ got: secret }).replaceAll('<', '\\u003C')],
    ['JSON with \\/, \\u0026 and \\u003c', phpJson(secret)],
    ['JSON in ASCII', JSON.stringify(secret).replaceAll('ö', '\\u00F6')],
    ['JSON of escapes alone', secret.replaceAll(/[^]/g, (letter) => `\\u${hexOf(letter)}`)],
    ['JSON in JSON', JSON.stringify(JSON.stringify({ got: secret }))],
    ['JavaScript', secret.replaceAll('<', '\\x3C').replaceAll('"', '\\"')],
    ['a URL by encodeURI', `/x?token=${encodeURI(secret)}`],
    ['a URL in lower case', `/x?token=${encodeURIComponent(secret).toLowerCase()}`],
    ['a URL in a URL', `/x?to=${encodeURIComponent(`/y?token=${encodeURIComponent(secret)}`)}`],
    ['a URL in Latin-1', `/x?token=${encodeURIComponent(secret).replace('%C3%B6', '%F6')}`],
    ['a form in JSON', phpJson(new URLSearchParams({ token: secret }).toString())],
    ['HTML with numeric references', 'p&#64;ss &#x22;w&#246;rd&#34;/+&#038;&#x3C;1&gt;'],
    ['HTML in JSON', phpJson('p@ss &quot;wörd&quot;/+&amp;&lt;1&gt;')],
    [
      'text with a letter whose lower-case form is longer',
      `\u0130 ${secret.toUpperCase()} ${Buffer.from(`u:${secret}`).toString('base64')}`,
    ],
    ...credentials,
  ])('the value of a secret is removed from %s', ([, text]) => {
    const redacted = redaction.text(text);
    expect(redacted).toContain('[secret]');
    expect(redacted).not.toMatch(/p@ss|w(ö|%c3%b6)rd|cEBzcy|BAc3Mg|QHNzI/i);
  });

  test('the value of a secret is removed from texts and keys of a JSON value, and as a number', () => {
    const value = { a: [`x ${secret}`, 1, null, true, 12_345_678, 123_456_789], [`k-${secret}`]: { b: 'p@ss' } };
    expect(redaction.json(value)).toEqual({
      a: ['x [secret]', 1, null, true, '[secret]', 123_456_789],
      'k-[secret]': { b: '[secret]' },
    });
  });

  test('the value of a secret is removed from an error, its stack and its cause', () => {
    const error = redaction.error(new Error(`No ${secret}`, { cause: new Error(secret) }));
    expect([error.message, (error.cause as Error).message]).toEqual(['No [secret]', '[secret]']);
    expect(error.stack).not.toContain(secret);
  });
});

test('a cut text never ends with the beginning of a value, wherever it was cut', () => {
  const value = 'abcabd-ABCABD-é\u{1f600}x';
  const whole = `before ${value} ${value}`;
  const bytes = Buffer.from(whole);
  const one = new Redaction([value]);
  for (let length = 0; length <= bytes.length; length++) {
    const shown = one.beginning(bytes.subarray(0, length).toString('utf8'));
    expect('before [secret] [secret]').toContain(shown.replace(/\ufffd+$/, ''));
  }
});

/** Functions that escape a character as various servers do. */
const writings: ((letter: string) => string)[] = [
  (letter) => (/[a-z0-9]/i.test(letter) ? letter : `\\u${hexOf(letter)}`),
  (letter) => `\\u${hexOf(letter).toUpperCase()}`,
  (letter) => encodeURIComponent(letter).replace(/^[^%]$/, (plain) => `%${hexOf(plain).slice(2)}`),
  (letter) => `&#${letter.charCodeAt(0)};`,
  (letter) => `&#x${hexOf(letter)};`,
];

test('a value is found however each of its characters is written (found A8)', () => {
  const letters = fc.array(fc.tuple(fc.integer({ min: 33, max: 255 }), fc.nat(writings.length - 1)), { minLength: 8 });
  fc.assert(
    fc.property(letters, (pairs) => {
      const value = String.fromCharCode(...pairs.map(([code]) => code));
      const written = pairs.map(([code, way]) => writings[way]!(String.fromCharCode(code))).join('');
      expect(new Redaction([value]).text(`(${written})`)).toBe('([secret])');
    }),
  );
});

test('a cut text with escapes never ends with the beginning of a value', () => {
  const value = 'ab"ö/&<c-xyz';
  const wholes = [phpJson(value), encodeURIComponent(value), '(ab&quot;&#246;/&amp;&lt;c-xyz'];
  for (const whole of wholes)
    for (let length = 0; length < whole.length - 1; length++)
      expect(['', '"', '(']).toContain(new Redaction([value]).beginning(whole.slice(0, length)));
});

/** Returns quantifiers without an upper bound, each with the part it repeats. */
const unbounded = ({ source }: RegExp) =>
  source.replaceAll(/\[(?:\\.|[^\]])*\]/g, 'C').match(/(?:\([^()]*\)|\\.|[^\\])(?:\*|\+|\{\d+,\})/g) ?? [];

test('escapes are read in linear time: each attempt at a match reads a bounded part of the text, or consumes all it reads', () => {
  expect(unbounded(/a+[*+]b*(?:c[d-e]{2}){3,}\+f{0,3}/)).toEqual(['a+', 'b*', '(?:cC{2}){3,}']);
  expect(unbounded(cutEscape)).toEqual([]);
  expect(unbounded(cutCharacter)).toEqual([]);
  // Each repetition consumes three characters in the only possible way, and no part that can fail follows.
  expect(unbounded(escapes)).toEqual(['(?:%C{2})+']);
  expect(escapes.source).toContain('|(?:%[0-9a-f]{2})+|');
});

test.each(['\\', '\\u0026', '%', '%25', '%C3', '&amp;', '&#', '&amp;amp;', '\\\\u005c', 'a%'])(
  'decoding never makes a text longer, however often it repeats an escape: %s',
  (piece) => {
    let text = piece.repeat(1_000_000 / piece.length);
    for (let level = 0; level < 4; level++) {
      const decoded = decode(text);
      if (!decoded) return;
      expect(decoded.text.length).toBeLessThan(text.length + 1);
      // The end of the text is mapped as well.
      expect(decoded.placeOf(decoded.text.length)).toBe(text.length);
      text = decoded.text;
    }
  },
);

test('a long value of few different letters is searched in bounded time', async () => {
  const one = new Redaction(['a'.repeat(8_192)]);
  await expectWithin(3_000, () =>
    expect(one.beginning(`${'ba'.repeat(4_000)}${'a'.repeat(8_000)}`)).toBe(`${'ba'.repeat(3_999)}b`),
  );
});

test('a text without a value stays unchanged', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      fc.pre(!text.includes('no-such-value'));
      const one = new Redaction(['no-such-value']);
      const value: unknown = JSON.parse(text);
      expect(one.json(value)).toEqual(value);
    }),
  );
  const none = new Redaction();
  const value = { a: 1 };
  expect(none.json(value)).toBe(value);
  expect(none.beginning('x')).toBe('x');
});
