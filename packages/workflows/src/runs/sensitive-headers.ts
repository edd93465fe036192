import { isRecord } from '@relata/schemas';

const sensitive = /secret|token|auth|cookie|password|credential|api-?key|session/i;
const mark = '[redacted]';

/** Whether the name of a header says that its value lets somebody in. */
export function isSensitiveHeader(name: string): boolean {
  return sensitive.test(name);
}

/** The input or the output of a step as it may be kept and shown: without the values of such headers. */
export function redactHeaders(use: string, value: unknown): unknown {
  if (use !== 'http.request' || !isRecord(value) || value['headers'] === undefined) return value;
  return { ...value, headers: redacted(value['headers']) };
}

/** What is no object is no headers either, whatever it holds. */
function redacted(headers: unknown): unknown {
  if (!isRecord(headers)) return mark;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSensitiveHeader(name) ? mark : value]),
  );
}
