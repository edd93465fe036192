import { isForm, jsonInForm, readWholeForm } from '@relata/schemas/form-body';

type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

export function parseJson(text: string, reviver?: Reviver): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text, reviver) };
  } catch {
    return undefined;
  }
}

/** Reads large whole numbers as bigint. In old browsers, which pass no `context`, such numbers lose digits. */
const withAllDigits: Reviver = (_key, value, context) => {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  return /^-?\d+$/.test(context?.source ?? '') ? BigInt(context!.source!) : value;
};

/** Returns JSON of a value, in which a bigint is a number with all its digits; undefined if the value is undefined. */
export function jsonOf(value: unknown): string | undefined {
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
}

/**
 * Parses the body of a delivery: JSON or, if its content type says so, a form. Whole numbers beyond 2^53 become bigint,
 * so that they keep all digits.
 */
export function readPayload(body: string, headers: Readonly<Record<string, string>>): { value: unknown } | undefined {
  const json = parseJson(body || '{}', withAllDigits);
  if (json || !isForm(headers)) return json;
  const fields = readWholeForm(body);
  const inside = jsonInForm(fields);
  return inside === undefined ? { value: fields } : parseJson(inside, withAllDigits);
}

export type Key = string | number;

export function jsonEntries(value: unknown): [Key, unknown][] {
  if (Array.isArray(value)) return value.map((child, at) => [at, child]);
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
