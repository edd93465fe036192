import { expect, test } from 'vitest';
import { amount, bigint, integer, numeric } from './numbers.ts';
import { emailAddress, text } from './text.ts';
import { instant, instantOrDate } from './instant.ts';

test.each(['ada@robotics.example', "o'brien+tag@mail.co.example", 'a@b', '~x!#$%@x-y.example', 'x@1.2'])(
  '%s is an email address',
  (value) => {
    expect(emailAddress().safeParse(value).success).toBe(true);
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
  expect(emailAddress().safeParse(value).success).toBe(false);
});

test('refuses an email address of hostile length at once', () => {
  expect(emailAddress().safeParse(`${'a.'.repeat(500_000)}@b`).success).toBe(false);
});

test('counts characters as people and JSON Schema do, not as UTF-16 units', () => {
  expect(text({ max: 3 }).safeParse('🦾🦾🦾').success).toBe(true);
  expect(text({ max: 3 }).safeParse('🦾🦾🦾🦾').success).toBe(false);
});

test.each([0.0001, -999_999_999_999_999.9, 1e14 + 0.25, 0.3])('accepts the amount %s', (value) => {
  expect(amount().safeParse(value).success).toBe(true);
});

test.each([1e15, 0.00001, 1e-300, Number.NaN, Number.POSITIVE_INFINITY])('refuses the amount %s', (value) => {
  expect(amount().safeParse(value).success).toBe(false);
});

test.each([
  [integer(), [-(2 ** 31), 0, 2 ** 31 - 1], [-(2 ** 31) - 1, 2 ** 31, 3_000_000_000, 1.5, 1e308]],
  [bigint(), [-(2 ** 53) + 1, 3_000_000_000, 2 ** 53 - 1], [-(2 ** 53), 2 ** 53, 0.5]],
  [numeric(6, 2), [-9_999.99, 0.01, 9_999.99], [-10_000, 10_000, 0.001]],
  [numeric(3, 0), [-999, 999], [1_000, 0.5]],
])('accepts the numbers that its column can hold, and no others (found C1)', (schema, held, refused) => {
  expect(held.filter((value) => !schema.safeParse(value).success)).toEqual([]);
  expect(refused.filter((value) => schema.safeParse(value).success)).toEqual([]);
});

test.each([
  ['2026-03-29T02:30:00.9999+02:00', '2026-03-29T00:30:00.999Z'],
  ['2026-01-31T24:00:00Z', '2026-02-01T00:00:00.000Z'],
  ['2026-01-31T24:00Z', '2026-02-01T00:00:00.000Z'],
  ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
  ['2026-031T09:30:00Z', '2026-01-31T09:30:00.000Z'],
  ['2026031T093000Z', '2026-01-31T09:30:00.000Z'],
  ['2024-366T00:00Z', '2024-12-31T00:00:00.000Z'],
  ['2026-W05-6T09:30:00Z', '2026-01-31T09:30:00.000Z'],
  ['2020-W53-7T00:00Z', '2021-01-03T00:00:00.000Z'],
  ['2026W056T0930Z', '2026-01-31T09:30:00.000Z'],
  ['2026-01-31T09:30.5Z', '2026-01-31T09:30:30.000Z'],
  ['2026-01-31T09,5Z', '2026-01-31T09:30:00.000Z'],
  ['2026-01-31T09Z', '2026-01-31T09:00:00.000Z'],
  ['2026-01-31T09:30:00.1234567890123Z', '2026-01-31T09:30:00.123Z'],
  ['2026-01-31T09:30:00.29Z', '2026-01-31T09:30:00.290Z'],
  ['+002026-01-31T09:30:00-0000', '2026-01-31T09:30:00.000Z'],
  ['0099-02-28T00:00:00Z', '0099-02-28T00:00:00.000Z'],
  ['2026-01-31T09:30:00+14', '2026-01-30T19:30:00.000Z'],
])('%s is %s', (text, utc) => expect(instant().parse(text)).toBe(utc));

test.each([
  '2026-13-01T00:00:00Z',
  '2026-01-01T00:00:00+25:00',
  '2026-02-29T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-000T00:00Z',
  '2025-366T00:00Z',
  '2026-W00-1T00:00Z',
  '2021-W53-1T00:00Z',
  '2026-W05-8T00:00Z',
  '2026-01-31T24:00:01Z',
  '2026-01-31T09:60:00Z',
  '2026-01-31T09:30:61Z',
  '2026-01-31',
  '2026-01-31T09:30:00',
  '2026-01-31T09:30:00Z[UTC]',
  '0000-12-31T00:00:00Z',
  '0001-01-01T00:00:00+01:00',
  '9999-12-31T23:59:59-01:00',
  'x'.repeat(100_000),
  '2026-01-01T00:00:00Z\u0000',
  '+275760-09-13T00:00:00Z',
])('refuses %j as an instant', (value) => {
  expect(instant().safeParse(value).success).toBe(false);
});

test.each([
  ['2026-12-31', '2026-12-31T00:00:00.000Z'],
  ['0001-01-01', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31', '9999-12-31T00:00:00.000Z'],
  ['2026-12-31T17:00:00+02:00', '2026-12-31T15:00:00.000Z'],
])('the date %s means %s, midnight in UTC (found C4)', (text, utc) => {
  expect(instantOrDate().parse(text)).toBe(utc);
});

test.each(['2026-02-30', '0000-12-31', '2026-1-1', '20261231', '31.12.2026', '2026-12-31T17:00', ' 2026-12-31'])(
  'refuses %j as a date (found C4)',
  (value) => expect(instantOrDate().safeParse(value).success).toBe(false),
);
