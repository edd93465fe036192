import { fieldPathCharactersMax } from './field-path.ts';

const fieldsMax = 5_000;

/**
 * Returns the fields of a payload by path, each with the value at its path; a bigint becomes a string. Empty objects
 * and arrays are fields too. Leaves out fields whose path is too long for the mapping of an input, and everything
 * beyond 5,000 fields.
 */
export function flatten(payload: unknown): Map<string, unknown> {
  const flat = new Flat();
  flat.add('payload', payload);
  return flat.fields;
}

class Flat {
  readonly fields = new Map<string, unknown>();
  /** Paths of non-empty objects and arrays. They hide a later field with the same path. */
  readonly #inner = new Set<string>();

  add(path: string, value: unknown): void {
    if (this.fields.size >= fieldsMax) return;
    const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
    const isHidden = this.fields.has(path) || this.#inner.has(path);
    if (!isHidden && keys.length === 0) this.fields.set(path, typeof value === 'bigint' ? String(value) : value);
    if (!isHidden && keys.length > 0) this.#inner.add(path);
    for (const key of inOrder(keys)) {
      if (path.length + 1 + key.length <= fieldPathCharactersMax)
        this.add(`${path}.${key}`, (value as Record<string, unknown>)[key]);
    }
  }
}

/** Sorts keys longest first if one has a dot: of two fields with the same path, `valueAt` finds the first. */
function inOrder(keys: string[]): string[] {
  return keys.some((key) => key.includes('.')) ? keys.toSorted((a, b) => b.length - a.length) : keys;
}
