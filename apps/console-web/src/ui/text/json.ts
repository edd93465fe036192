import { isForm, jsonInForm, readWholeForm } from '@relata/schemas/form-body';

export function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Parses the body of a delivery: JSON or, if its content type says so, a form. */
export function readPayload(body: string, headers: Readonly<Record<string, string>>): { value: unknown } | undefined {
  const json = parseJson(body || '{}');
  if (json || !isForm(headers)) return json;
  const fields = readWholeForm(body);
  const inside = jsonInForm(fields);
  return inside === undefined ? { value: fields } : parseJson(inside);
}

export type Key = string | number;

export function jsonEntries(value: unknown): [Key, unknown][] {
  if (Array.isArray(value)) return value.map((child, at) => [at, child]);
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
