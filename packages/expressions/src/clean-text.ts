import { isStorable } from '@relata/schemas';
import { runToEnd, type SlicedWork } from '@relata/schemas/time-slices';

/** Replaces U+0000 and unpaired surrogates with U+FFFD, because PostgreSQL cannot store them. */
export function cleanText(text: string): string {
  return isStorable(text) ? text : text.toWellFormed().replaceAll('\u0000', '\uFFFD');
}

/**
 * Returns a JSON value with all strings and keys cleaned, and each bigint as a string. It copies only objects and
 * arrays that contain something to clean.
 */
export const cleanJson = <T>(value: T): T => runToEnd(clean(value, { count: 0 })) as T;

/** Matches the escapes of characters that PostgreSQL cannot store: U+0000 and halves of surrogate pairs. */
const suspicious = /\\u(?:0000|d[89a-f])/;

/**
 * Returns a value as JSON that the database can store: cleaned as by `cleanJson`, with `null` for undefined. Call it
 * only once per value, since the JSON may be long.
 */
export const storableJson = (value: unknown): string => runToEnd(storableJsonInSlices(value));

/** Like `storableJson`, in steps. Cleaning is the slow part, and most values do not need it. */
export function* storableJsonInSlices(value: unknown): SlicedWork<string> {
  const text = jsonOf(value);
  if (text !== undefined && !suspicious.test(text)) return text;
  yield;
  return jsonOf(yield* clean(value, { count: 0 }))!;
}

/** Returns the JSON of a value; undefined if it contains a bigint, for which JSON.stringify throws a TypeError. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Number of members that are cleaned per step, in about a millisecond. */
const stepMembers = 2_000;

function* clean(value: unknown, cleaned: { count: number }): SlicedWork<unknown> {
  if (++cleaned.count % stepMembers === 0) yield;
  if (typeof value === 'string') return cleanText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  return yield* Array.isArray(value) ? cleanArray(value, cleaned) : cleanObject(value, cleaned);
}

function* cleanArray(items: readonly unknown[], cleaned: { count: number }): SlicedWork<readonly unknown[]> {
  let copy: unknown[] | undefined;
  for (const [at, item] of items.entries()) {
    const now = yield* clean(item, cleaned);
    if (now !== item) (copy ??= items.slice())[at] = now;
  }
  return copy ?? items;
}

function* cleanObject(value: object, cleaned: { count: number }): SlicedWork<object> {
  const entries = Object.entries(value);
  let isCopied = false;
  for (const entry of entries) {
    const [key, member] = entry;
    entry[0] = cleanText(key);
    entry[1] = yield* clean(member, cleaned);
    isCopied ||= entry[0] !== key || entry[1] !== member;
  }
  return isCopied ? Object.fromEntries(entries) : value;
}
