import { z } from 'zod';
import { problem } from './text.ts';

/**
 * ISO 8601: a calendar, ordinal or week date, extended or basic; a time to the hour, minute or second, whose last part
 * may have a fraction; `Z` or an offset.
 */
const pattern = new RegExp(
  '^(?<year>[+-]\\d{6}|\\d{4})' +
    '(?:-(?<month>\\d\\d)-(?<day>\\d\\d)|(?<month2>\\d\\d)(?<day2>\\d\\d)|-?(?<ordinal>\\d{3})|-?W(?<week>\\d\\d)-?(?<weekday>[1-7]))' +
    '[Tt ](?<hour>\\d\\d)(?::?(?<minute>\\d\\d)(?::?(?<second>\\d\\d))?)?(?:[.,](?<fraction>\\d+))?' +
    '(?:(?<utc>[Zz])|(?<sign>[+\\-\\u2212])(?<offsetHour>\\d\\d)(?::?(?<offsetMinute>\\d\\d))?)$',
);

type Groups = Record<string, string | undefined>;

const dayMs = 86_400_000;
const yearMin = 1;
const yearMax = 9_999;
const lengthMax = 100;

/**
 * Returns milliseconds since 1970, `out_of_range` for a year that cannot be stored, or undefined if the text is not an
 * instant.
 */
function readInstant(text: string): number | 'out_of_range' | undefined {
  const groups = text.length > lengthMax ? undefined : pattern.exec(text)?.groups;
  const date = groups && readDate(groups);
  const time = groups && readTime(groups);
  const offset = groups && readOffset(groups);
  if (date === undefined || time === undefined || offset === undefined) return undefined;
  const ms = date + time - offset;
  const year = new Date(ms).getUTCFullYear();
  return year >= yearMin && year <= yearMax ? ms : 'out_of_range';
}

function readDate(groups: Groups): number | undefined {
  const year = Number(groups['year']);
  const { ordinal, week, weekday } = groups;
  if (ordinal !== undefined) return dayOfYear(year, Number(ordinal));
  if (week !== undefined) return dayOfWeek(year, Number(week), Number(weekday));
  return dayOfMonth(year, Number(groups['month'] ?? groups['month2']), Number(groups['day'] ?? groups['day2']));
}

/** Returns midnight of a day. `Date.UTC` would add 1900 to years before 100. */
function midnight(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

function dayOfMonth(year: number, month: number, day: number): number | undefined {
  const ms = midnight(year, month, day);
  const date = new Date(ms);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? ms : undefined;
}

function dayOfYear(year: number, day: number): number | undefined {
  const ms = midnight(year, 1, day);
  return new Date(ms).getUTCFullYear() === year && day > 0 ? ms : undefined;
}

/**
 * Returns the day of a week date. The first week of a year contains 4 January; the last one ends before the first of
 * the next year.
 */
function dayOfWeek(year: number, week: number, weekday: number): number | undefined {
  const ms = firstMonday(year) + ((week - 1) * 7 + weekday - 1) * dayMs;
  return week >= 1 && ms < firstMonday(year + 1) ? ms : undefined;
}

function firstMonday(year: number): number {
  const fourth = midnight(year, 1, 4);
  return fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * dayMs;
}

function readTime(groups: Groups): number | undefined {
  const { minute, second, fraction } = groups;
  const [h, m, s] = [Number(groups['hour']), Number(minute ?? 0), Number(second ?? 0)];
  const unitMs = second !== undefined ? 1_000 : minute !== undefined ? 60_000 : 3_600_000;
  const ms = Math.floor(Number(`0.${fraction ?? 0}`) * unitMs + 1e-6);
  // 24:00 is the end of the day; a leap second counts as the start of the next minute.
  const isEndOfDay = h === 24 && m === 0 && s === 0 && ms === 0;
  if ((h > 23 && !isEndOfDay) || m > 59 || s > 60) return undefined;
  return h * 3_600_000 + m * 60_000 + s * 1_000 + ms;
}

function readOffset({ utc, sign, offsetHour, offsetMinute }: Groups): number | undefined {
  if (utc !== undefined) return 0;
  const [h, m] = [Number(offsetHour), Number(offsetMinute ?? 0)];
  if (h > 23 || m > 59) return undefined;
  return (h * 60 + m) * 60_000 * (sign === '+' ? 1 : -1);
}

/**
 * Accepts any ISO 8601 instant with `Z` or an offset, in the years 1 to 9999; converts it to UTC with milliseconds and
 * `Z`.
 */
export function instant(): z.ZodString {
  return utc('Must be an ISO 8601 date and time with a zone, like 2026-01-31T09:30:00Z.', readInstant);
}

/** Like `instant`, but also accepts a plain date such as `2026-01-31`, which means midnight in UTC. */
export function instantOrDate(): z.ZodString {
  return utc(
    'Must be a date, like 2026-01-31, or an ISO 8601 date and time with a zone, like 2026-01-31T09:30:00Z.',
    (value) => readInstant(plainDate.test(value) ? `${value}T00Z` : value),
  );
}

const plainDate = /^\d{4}-\d\d-\d\d$/;

function utc(rule: string, read: typeof readInstant): z.ZodString {
  return z
    .string()
    .check((ctx) => {
      const ms = read(ctx.value);
      if (ms === undefined) problem(ctx, 'invalid_format', rule);
      else if (ms === 'out_of_range') problem(ctx, 'out_of_range', 'Must be within the years 1 to 9999.');
      else ctx.value = new Date(ms).toISOString();
    })
    .meta({ format: 'date-time' });
}

/** Accepts the name of a time zone, such as `Europe/Zurich`, or an offset such as `+05:30`. */
export function timeZone(): z.ZodString {
  return z.string().check((ctx) => {
    if (!isTimeZone(ctx.value))
      problem(ctx, 'invalid_format', 'Must be the name of a time zone, like Europe/Zurich, or an offset, like +05:30.');
  });
}

function isTimeZone(text: string): boolean {
  if (text.length > lengthMax) return false;
  try {
    // `Intl` knows the same names, but loads the data of all locales: 7 MB per process.
    return new Temporal.ZonedDateTime(0n, text).epochNanoseconds === 0n;
  } catch {
    return false;
  }
}

/** Describes a time that the service sets; null if it is not set. */
export const timestamp = (description: string) =>
  z
    .string()
    .nullable()
    .meta({ format: 'date-time', description, examples: ['2026-01-31T09:30:00.000Z'] });
