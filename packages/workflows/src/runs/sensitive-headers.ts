import { isRecord } from '@relata/schemas';

const sensitive = /secret|token|auth|cookie|password|credential|api-?key|session/i;
const mark = '[redacted]';

/** Returns true if the name of a header says that its value is a credential. */
export function isSensitiveHeader(name: string): boolean {
  return sensitive.test(name);
}

/** The input or the output of a step as it may be kept and shown: without the values of headers with credentials. */
export function redactHeaders(use: string, value: unknown): unknown {
  if (use !== 'http.request' || !isRecord(value) || value['headers'] === undefined) return value;
  return { ...value, headers: redacted(value['headers']) };
}

/** A value that is no object may hold a credential, and is replaced as a whole. */
function redacted(headers: unknown): unknown {
  if (!isRecord(headers)) return mark;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSensitiveHeader(name) ? mark : value]),
  );
}
