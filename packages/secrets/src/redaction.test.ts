import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Redaction } from './redaction.ts';

const secret = 'p@ss "wörd"/+&<1>';
const redaction = new Redaction([secret, 'p@ss', '12345678']);

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
  ])('the value of a secret is taken out of %s', ([, text]) => {
    const redacted = redaction.text(text);
    expect(redacted).toContain('[secret]');
    expect(redacted).not.toMatch(/p@ss|w(ö|%c3%b6)rd|cEBzcy/i);
  });

  test('the value of a secret is taken out of a JSON value: its texts, its keys, and a number that is one', () => {
    const value = { a: [`x ${secret}`, 1, null, true, 12_345_678, 123_456_789], [`k-${secret}`]: { b: 'p@ss' } };
    expect(redaction.json(value)).toEqual({
      a: ['x [secret]', 1, null, true, '[secret]', 123_456_789],
      'k-[secret]': { b: '[secret]' },
    });
  });

  test('the value of a secret is taken out of an error, its stack and its cause', () => {
    const error = redaction.error(new Error(`No ${secret}`, { cause: new Error(secret) }));
    expect([error.message, (error.cause as Error).message]).toEqual(['No [secret]', '[secret]']);
    expect(error.stack).not.toContain(secret);
  });
});

test('no beginning of a text ends in the beginning of a value, however it was cut', () => {
  const value = 'abcabd-ABCABD-é\u{1f600}x';
  const whole = `before ${value} ${value}`;
  const bytes = Buffer.from(whole);
  const one = new Redaction([value]);
  for (let length = 0; length <= bytes.length; length++) {
    const shown = one.beginning(bytes.subarray(0, length).toString('utf8'));
    expect('before [secret] [secret]').toContain(shown.replace(/\ufffd+$/, ''));
  }
});

test('a long value of few letters is looked for in bounded time', () => {
  const one = new Redaction(['a'.repeat(8_192)]);
  const began = performance.now();
  expect(one.beginning(`${'ba'.repeat(4_000)}${'a'.repeat(8_000)}`)).toBe(`${'ba'.repeat(3_999)}b`);
  expect(performance.now() - began).toBeLessThan(3_000);
});

test('a text that holds no value stays as it is', () => {
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
