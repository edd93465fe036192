import { isRecord } from '@relata/schemas';

const sensitive = /secret|token|auth|cookie|password|credential|api-?key|session/i;
const mark = '[redacted]';

export function isSensitiveHeader(name: string): boolean {
  return sensitive.test(name);
}

/**
 * Returns a step's input or output, in which headers with credentials are redacted, so that it can be stored and shown.
 */
export function redactHeaders(use: string, value: unknown): unknown {
  if (use !== 'http.request' || !isRecord(value) || value['headers'] === undefined) return value;
  return { ...value, headers: redacted(value['headers']) };
}

/** Redacts headers. A value that is not an object may hold a credential and is replaced as a whole. */
function redacted(headers: unknown): unknown {
  if (!isRecord(headers)) return mark;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSensitiveHeader(name) ? mark : value]),
  );
}
