export function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

export type Key = string | number;

export function jsonEntries(value: unknown): [Key, unknown][] {
  if (Array.isArray(value)) return value.map((child, at) => [at, child]);
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
