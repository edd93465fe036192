const plain = /^[\w.:-]{1,60}$/;

/**
 * Returns the part of an error that spans and logs may contain: its status or code, otherwise its class. The message is
 * never included, since it may repeat values.
 */
export function toErrorType(error: unknown): string {
  if (typeof error === 'number' || (typeof error === 'string' && plain.test(error))) return String(error);
  if (!(error instanceof Error)) return typeof error;
  const { code, statusCode } = error as Error & { code?: unknown; statusCode?: unknown };
  const known = [statusCode, code, error.name].map(String).find((text) => text !== 'undefined' && plain.test(text));
  return known ?? 'Error';
}
