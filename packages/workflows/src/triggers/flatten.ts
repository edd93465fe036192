import { fieldPathCharactersMax } from './field-path.ts';

const fieldsMax = 100_000;
const charactersMax = 10_000_000;

/**
 * The fields of a payload, by path; each has the value that its path leads to, a bigint as text. Empty objects and arrays are fields
 * themselves. Left out is what no input can be taken from, because its path would be too long, and what goes beyond
 * 100,000 fields or 10 million characters of paths: there is the payload itself to look at.
 */
export function flatten(payload: unknown): Map<string, unknown> {
  const flat = new Flat();
  flat.add('payload', payload);
  return flat.fields;
}

class Flat {
  readonly fields = new Map<string, unknown>();
  /** Paths of what has fields of its own: they hide a field of the same path that comes later. */
  readonly #inner = new Set<string>();
  #characters = 0;

  add(path: string, value: unknown): void {
    if (this.fields.size >= fieldsMax || this.#characters > charactersMax) return;
    const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
    const isHidden = this.fields.has(path) || this.#inner.has(path);
    if (!isHidden) this.#characters += path.length;
    if (!isHidden && keys.length === 0) this.fields.set(path, typeof value === 'bigint' ? String(value) : value);
    if (!isHidden && keys.length > 0) this.#inner.add(path);
    for (const key of inOrder(keys)) {
      if (path.length + 1 + key.length <= fieldPathCharactersMax)
        this.add(`${path}.${key}`, (value as Record<string, unknown>)[key]);
    }
  }
}

/** Two fields may have one path where a key contains a dot; the one by the longest key is found first, as by `valueAt`. */
function inOrder(keys: string[]): string[] {
  return keys.some((key) => key.includes('.')) ? keys.toSorted((a, b) => b.length - a.length) : keys;
}
