/** A failure of a model. The message is written by this gateway rather than by the model, so it can be logged. */
export class ModelError extends Error {
  override name = 'ModelError';
}

/**
 * Returns what may be logged about a failure: its kind, a status, a system code, and the message of a ModelError. Other
 * messages are omitted, since a server may repeat the visitor's words.
 */
export function loggableFailure(error: unknown): Record<string, string | number> {
  if (error instanceof ModelError) return { kind: error.name, message: error.message };
  if (!(error instanceof Error)) return { kind: typeof error };
  const { statusCode } = error as Error & { statusCode?: unknown };
  const code = codeOf(error);
  return { kind: error.name, ...(typeof statusCode === 'number' && { status: statusCode }), ...(code && { code }) };
}

const unreachable = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Returns true if the model did no billable work because it refused the call or was unreachable. */
export function wasNeverRead(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { statusCode } = error as Error & { statusCode?: unknown };
  return (typeof statusCode === 'number' && statusCode >= 400) || unreachable.has(codeOf(error) ?? '');
}

/** Returns the system code of the error or its cause, such as ECONNREFUSED. */
function codeOf(error: Error, depth = 0): string | undefined {
  const { code, cause } = error as NodeJS.ErrnoException;
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code)) return code;
  return cause instanceof Error && depth < 3 ? codeOf(cause, depth + 1) : undefined;
}
