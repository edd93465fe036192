import { isStorable } from '@relata/schemas';

/** Replaces U+0000 and unpaired surrogates with U+FFFD, because PostgreSQL cannot store them. */
export function cleanText(text: string): string {
  return isStorable(text) ? text : text.toWellFormed().replaceAll('\u0000', '\uFFFD');
}

/**
 * Returns a JSON value with all texts and keys cleaned, and bigint as text; the same value if there is nothing to
 * clean.
 */
export function cleanJson<T>(value: T): T {
  return (isClean(value) ? value : copyClean(value)) as T;
}

function isClean(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint';
  if (Array.isArray(value)) return value.every(isClean);
  return Object.entries(value).every(([key, member]) => isStorable(key) && isClean(member));
}

function copyClean(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyClean);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [cleanText(key), copyClean(member)]));
}
