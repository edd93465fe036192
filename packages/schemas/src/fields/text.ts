import { z } from 'zod';
import { countText } from './count-text.ts';
import type { DetailCode } from '../errors/detail-codes.ts';

/** Raises a problem under one of the API's own detail codes; `path` leads from what is checked to the field. */
export function problem<T>(
  ctx: z.core.ParsePayload<T>,
  code: DetailCode,
  message: string,
  path: (string | number)[] = [],
): void {
  ctx.issues.push({ code: 'custom', params: { code }, message, input: ctx.value, path });
}

/** Unicode characters (code points), as JSON Schema's `maxLength` counts them. */
export function countCharacters(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800) count--;
  }
  return count;
}

/** PostgreSQL can hold neither U+0000 nor half a surrogate pair; what cannot be kept exactly is refused. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}

/** Text kept exactly as sent, of `min` to `max` characters. */
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

/** What a person or thing is called: 1 to 255 characters. */
export const nameText = () => text({ min: 1, max: 255 });

/** A single-line field: up to 2,048 characters. */
export const lineText = () => text({ max: 2_048 });

/** Free text: up to 100,000 characters. */
export const freeText = (min = 0) => text({ min, max: 100_000 });

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const emailPattern = new RegExp(`^${atom}(?:\\.${atom})*@${label}(?:\\.${label})*$`);

/** A dot-atom at a host name (RFC 5322 without quoted strings and comments, which no mail form accepts). */
export function emailText(): z.ZodString {
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

/** Any UUID, whatever its version; answered in lower case. */
export function uuid(): z.ZodString {
  return z
    .string()
    .check((ctx) => {
      if (!isUuid(ctx.value)) problem(ctx, 'invalid_format', 'Must be a UUID.');
    })
    .toLowerCase()
    .meta({ format: 'uuid' });
}

/** Labels kept in the order they were sent: at most 100, of 1 to 100 characters each. */
export const tags = () => z.array(text({ min: 1, max: 100 })).max(100);
