type Container = Record<string, unknown>;

/** Where a field stands in a delivery: `payload.user.email`, taken apart once. */
export interface FieldPath {
  text: string;
  segments: readonly string[];
}

export const fieldPathCharactersMax = 1_000;

/** Reads `payload` or `payload.…`; undefined for what is no path. */
export function parseFieldPath(text: string): FieldPath | undefined {
  const [root, ...segments] = text.split('.');
  if (root !== 'payload' || text.length > fieldPathCharactersMax || segments.includes('')) return undefined;
  return { text, segments };
}

/**
 * The value at a path, whole where it is an object or an array; undefined where there is none. A key that itself
 * contains dots wins over the nested path of the same name, the longest first.
 */
export function valueAt(payload: unknown, { segments }: FieldPath): unknown {
  return find(payload, segments, 0);
}

function find(value: unknown, segments: readonly string[], from: number): unknown {
  if (from === segments.length) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  // The names of an array's elements hold no dots.
  const longest = Array.isArray(value) ? from + 1 : segments.length;
  for (let to = longest; to > from; to--) {
    const key = to === from + 1 ? segments[from]! : segments.slice(from, to).join('.');
    if (!hasElement(value, key)) continue;
    const found = find((value as Container)[key], segments, to);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Own data alone: neither `length` of an array nor what an object inherits. */
function hasElement(value: object, key: string): boolean {
  return Array.isArray(value)
    ? /^(0|[1-9]\d{0,8})$/.test(key) && Number(key) < value.length
    : Object.hasOwn(value, key);
}

/**
 * All fields of a payload, by path; each has the value that its path leads to. Empty objects and arrays are fields
 * themselves. Beyond `fieldsMax` there is only the payload itself to look at.
 */
export function flatten(payload: unknown, fieldsMax = 100_000): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  const hasDottedKeys = addFields(fields, 'payload', payload, fieldsMax);
  if (hasDottedKeys) dropHidden(fields, payload);
  return fields;
}

/** Returns whether a key contained a dot: two fields may then have one path. */
function addFields(fields: Map<string, unknown>, path: string, value: unknown, fieldsMax: number): boolean {
  if (fields.size >= fieldsMax) return false;
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) fields.set(path, value);
  let hasDots = false;
  for (const [key, inner] of entries)
    hasDots = addFields(fields, `${path}.${key}`, inner, fieldsMax) || hasDots || key.includes('.');
  return hasDots;
}

function dropHidden(fields: Map<string, unknown>, payload: unknown): void {
  for (const path of fields.keys()) {
    const segments = path.split('.').slice(1);
    const seen = valueAt(payload, { text: path, segments });
    if (isLeaf(seen)) fields.set(path, seen);
    else fields.delete(path);
  }
}

function isLeaf(value: unknown): boolean {
  return typeof value !== 'object' || value === null || Object.keys(value).length === 0;
}
