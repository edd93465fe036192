import { z } from 'zod';
import { countText } from './count-text.ts';
import type { DetailCode } from '../errors/detail-codes.ts';

/** Raises a problem with one of the API's own detail codes; `path` leads from the checked value to the field. */
export function problem<T>(
  ctx: z.core.ParsePayload<T>,
  code: DetailCode,
  message: string,
  path: (string | number)[] = [],
): void {
  ctx.issues.push({ code: 'custom', params: { code }, message, input: ctx.value, path });
}

/** Counts Unicode characters (code points), as JSON Schema's `maxLength` does. */
export function countCharacters(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800) count--;
  }
  return count;
}

/** Returns true if PostgreSQL can store the text exactly: it can hold neither U+0000 nor half a surrogate pair. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}

/** Accepts text of `min` to `max` characters and keeps it exactly as sent. */
export function text({ min = 0, max }: { min?: number; max: number }): z.ZodString {
  return z
    .string()
    .check((ctx) => {
      const { value } = ctx;
      if (!isStorable(value)) problem(ctx, 'invalid_format', 'Must not contain U+0000 or an unpaired surrogate.');
      else if (value.length < min) problem(ctx, 'too_short', `Must have at least ${characters(min)}.`);
      else if (value.length > max && countCharacters(value) > max)
        problem(ctx, 'too_long', `Must have at most ${characters(max)}.`);
    })
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max });
}

function characters(count: number): string {
  return `${countText(count)} character${count === 1 ? '' : 's'}`;
}

/** Accepts the name of a person or thing: 1 to 255 characters. */
export const nameText = () => text({ min: 1, max: 255 });

/** Accepts short text, usually a single line: up to 2,048 characters. Line breaks are not refused. */
export const shortText = () => text({ max: 2_048 });

/** Accepts free text: up to 100,000 characters. */
export const longText = (min = 0) => text({ min, max: 100_000 });

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const emailPattern = new RegExp(`^${atom}(?:\\.${atom})*@${label}(?:\\.${label})*$`);

/**
 * Accepts an email address: a dot-atom, `@` and a host name. Refuses the quoted strings and comments of RFC 5322, which
 * no mail form accepts.
 */
export function emailAddress(): z.ZodString {
  return z
    .string()
    .check((ctx) => {
      if (ctx.value.length > 2_048) problem(ctx, 'too_long', 'Must have at most 2,048 characters.');
      else if (!emailPattern.test(ctx.value)) problem(ctx, 'invalid_format', 'Must be an email address.');
    })
    .meta({ format: 'email', maxLength: 2_048 });
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(value: string): boolean {
  return uuidPattern.test(value);
}

/**
 * Accepts a UUID of any version and converts it to lower case. `advice` is appended to the message for other values.
 */
export function uuid(advice = ''): z.ZodString {
  return z
    .string()
    .check((ctx) => {
      if (!isUuid(ctx.value)) problem(ctx, 'invalid_format', `Must be a UUID.${advice}`);
    })
    .toLowerCase()
    .meta({ format: 'uuid' });
}

/** Accepts at most `max` UUIDs, including duplicates. Then removes duplicates and keeps the order. */
export const uuids = (max: number) =>
  z
    .array(uuid())
    .max(max)
    .overwrite((ids) => [...new Set(ids)]);

/** Accepts at most 100 labels of 1 to 100 characters each, and keeps their order. */
export const tags = () => z.array(text({ min: 1, max: 100 })).max(100);
