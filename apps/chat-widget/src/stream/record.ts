/** Returns an object unchanged, and an empty object for any other value, because external data may be anything. */
export function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
