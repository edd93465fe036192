import { z } from 'zod';
import { problem } from './text.ts';

const listed = /^\s*(?:(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"\s*(?:,\s*|$))+$/;

/** Returns true if a value of `If-Match` is well-formed. */
export const isEtagList = (value: string) => value.trim() === '*' || listed.test(value);

export const noEtagList = 'Must be a list of ETags, or `*`.';

/** Accepts a value of `If-Match` in a body. */
export function etagList(): z.ZodString {
  return z.string().check((ctx) => {
    if (!isEtagList(ctx.value)) problem(ctx, 'invalid_format', noEtagList);
  });
}
