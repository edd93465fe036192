/**
 * Returns true if an error ended the connection. Errors of a statement have an SQLSTATE and leave the connection
 * usable, except classes 08 and 57P.
 */
export function isConnectionError(error: unknown): error is Error {
  return error instanceof Error && !/^(?!08|57P)[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code));
}
