/** Returns the value of a text in JSON, or undefined if it is none. */
export function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

export type Key = string | number;

/** Returns the members of a value by their keys. */
export function entriesOf(value: unknown): [Key, unknown][] {
  if (Array.isArray(value)) return value.map((child, at) => [at, child]);
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
