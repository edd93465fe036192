import { expect, test } from 'vitest';
import { amount } from './numbers.ts';
import { emailText, text } from './text.ts';
import { instant } from './instant.ts';

test.each(['ada@robotics.example', "o'brien+tag@mail.co.example", 'a@b', '~x!#$%@x-y.example', 'x@1.2'])(
  '%s is an email address',
  (value) => {
    expect(emailText().safeParse(value).success).toBe(true);
  },
);

test.each([
  '',
  'a',
  '@b',
  'a@',
  'a.@b.c',
  '.a@b.c',
  'a..b@c.d',
  'a b@c.d',
  'a@b@c',
  'a@-b.c',
  'a@b-.c',
  'a@b..c',
  'a\n@b.c',
  `a@${'b'.repeat(64)}.c`,
])('%j is no email address', (value) => {
  expect(emailText().safeParse(value).success).toBe(false);
});

test('an address of hostile length is refused at once', () => {
  expect(emailText().safeParse(`${'a.'.repeat(500_000)}@b`).success).toBe(false);
});

test('characters are counted as people and JSON Schema count them, not in halves', () => {
  expect(text({ max: 3 }).safeParse('🦾🦾🦾').success).toBe(true);
  expect(text({ max: 3 }).safeParse('🦾🦾🦾🦾').success).toBe(false);
});

test.each([0.0001, -999_999_999_999_999.9, 1e14 + 0.25, 0.3])('the amount %s can be kept', (value) => {
  expect(amount().safeParse(value).success).toBe(true);
});

test.each([1e15, 0.00001, 1e-300, Number.NaN, Number.POSITIVE_INFINITY])('the amount %s cannot', (value) => {
  expect(amount().safeParse(value).success).toBe(false);
});

test('an instant is read as UTC with milliseconds', () => {
  expect(instant().parse('2026-03-29T02:30:00.9999+02:00')).toBe('2026-03-29T00:30:00.999Z');
});

test.each([
  '2026-13-01T00:00:00Z',
  '2026-01-01T00:00:00+25:00',
  'x'.repeat(100_000),
  '2026-01-01T00:00:00Z\u0000',
  '+275760-09-13T00:00:00Z',
])('%j is no instant that can be kept', (value) => {
  expect(instant().safeParse(value).success).toBe(false);
});
