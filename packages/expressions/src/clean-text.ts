import { isStorable } from '@relata/schemas';

/** Replaces U+0000 and unpaired surrogates with U+FFFD, because PostgreSQL cannot store them. */
export function cleanText(text: string): string {
  return isStorable(text) ? text : text.toWellFormed().replaceAll('\u0000', '\uFFFD');
}

/**
 * Returns a JSON value with all texts and keys cleaned, and bigint as text. Copies only objects and arrays in which
 * there is something to clean.
 */
export function cleanJson<T>(value: T): T {
  return clean(value) as T;
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? cleanArray(value) : cleanObject(value);
}

function cleanArray(items: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [at, item] of items.entries()) {
    const cleaned = clean(item);
    if (cleaned !== item) (copy ??= items.slice())[at] = cleaned;
  }
  return copy ?? items;
}

function cleanObject(value: object): object {
  const entries = Object.entries(value);
  let isCopied = false;
  for (const entry of entries) {
    const [key, member] = entry;
    entry[0] = cleanText(key);
    entry[1] = clean(member);
    isCopied ||= entry[0] !== key || entry[1] !== member;
  }
  return isCopied ? Object.fromEntries(entries) : value;
}
