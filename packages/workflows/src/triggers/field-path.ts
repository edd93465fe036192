import type { DeliveryContent } from '../deliveries/delivery-content.ts';

type Container = Record<string, unknown>;

/** Parsed path of a field in a delivery, like `payload.user.email` or `headers.x-github-event`. */
export interface FieldPath {
  text: string;
  root: keyof DeliveryContent;
  /**
   * Keys that may follow at each segment, longest first: for `payload.a.b` they are `a.b` and `a`, then `b`. Undefined
   * for a path of more than 8 segments, which would have too many.
   */
  keys: readonly (readonly string[])[] | undefined;
}

export const fieldPathCharactersMax = 1_000;
const segmentsWithKeysMax = 8;

/**
 * Parses `payload`, `payload.…` or `headers.…`, whose names are case-insensitive. Returns undefined for any other text.
 */
export function parseFieldPath(given: string): FieldPath | undefined {
  if (given.length > fieldPathCharactersMax) return undefined;
  const text = given.startsWith('headers.') ? given.toLowerCase() : given;
  const [root, ...segments] = text.split('.');
  if ((root !== 'payload' && root !== 'headers') || segments.includes('')) return undefined;
  if (root === 'headers' && segments.length === 0) return undefined;
  return {
    text,
    root,
    keys: segments.length <= segmentsWithKeysMax ? segments.map((_, from) => keysOf(segments, from)) : undefined,
  };
}

function keysOf(segments: readonly string[], from: number): string[] {
  return segments.slice(from).map((_, i) => segments.slice(from, segments.length - i).join('.'));
}

/**
 * Returns the value at a path, which may be a whole object or array; undefined if there is none. A key that itself
 * contains dots takes precedence over nested keys of the same path, and a longer key over a shorter one.
 */
export function valueAt(content: DeliveryContent, { root, text, keys }: FieldPath): unknown {
  return keys ? findByKeys(content[root], keys, 0) : findByText(content[root], text, root.length + 1);
}

function findByKeys(value: unknown, keys: NonNullable<FieldPath['keys']>, from: number): unknown {
  if (from === keys.length) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const tried = keys[from]!;
  // Indices of an array contain no dots.
  for (let i = Array.isArray(value) ? tried.length - 1 : 0; i < tried.length; i++) {
    if (!hasElement(value, tried[i]!)) continue;
    const found = findByKeys((value as Container)[tried[i]!], keys, keys.length - i);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Examines each key of the payload at most once, however many segments the path has; `at` is the position in the path.
 */
function findByText(value: unknown, text: string, at: number): unknown {
  if (at > text.length) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const key of keysAt(value, text, at)) {
    const found = findByText((value as Container)[key], text, at + key.length + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the own keys with which the path can continue, longest first. */
function keysAt(value: object, text: string, at: number): string[] {
  if (Array.isArray(value)) {
    const [index = ''] = text.slice(at).split('.', 1);
    return hasElement(value, index) ? [index] : [];
  }
  const isNext = (key: string) => text.startsWith(key, at) && [undefined, '.'].includes(text[at + key.length]);
  return byLength(Object.keys(value).filter(isNext));
}

const byLength = (keys: readonly string[]) => keys.toSorted((a, b) => b.length - a.length);

/** Returns true for own data only: not for the `length` of an array or inherited members. */
function hasElement(value: object, key: string): boolean {
  return Array.isArray(value)
    ? /^(0|[1-9]\d{0,8})$/.test(key) && Number(key) < value.length
    : Object.hasOwn(value, key);
}
