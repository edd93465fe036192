const minus = 0x2d;
/** Number of digits of 2^53 - 1. A whole number with fewer digits is always exact. */
const safeDigits = 16;

/**
 * Returns `parsed`, the value of this JSON, with whole numbers beyond 2^53 as bigint, or as `keep` converts their
 * digits. Numbers that JSON.parse reads as Infinity stay Infinity.
 */
export function withExactNumbers<T>(parsed: T, json: Uint8Array, keep: (digits: string) => unknown = BigInt): T {
  if (!hasLargeNumber(json)) return parsed;
  const exact: Reviver = (_key, value, { source }) => (isInexact(value) && isDigits(source!) ? keep(source!) : value);
  return JSON.parse(new TextDecoder().decode(json), exact as Parameters<typeof JSON.parse>[1]) as T;
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

function isInexact(value: unknown): boolean {
  return typeof value === 'number' && !Number.isSafeInteger(value) && Number.isFinite(value);
}

const isDigits = (source: string) => /^-?\d+$/.test(source);

/**
 * Returns true if JSON may contain a whole number beyond 2^53. Checks only every 16th byte, because 16 digits in a row
 * always include one of these. Digits in a string may count, too, which only costs a second parse.
 */
function hasLargeNumber(json: Uint8Array): boolean {
  for (let at = safeDigits - 1; at < json.length; at += safeDigits) {
    if (!isDigit(json[at]!)) continue;
    let start = at;
    while (start > 0 && isDigit(json[start - 1]!)) start--;
    while (at < json.length && isDigit(json[at]!)) at++;
    if (isLarge(json, start, at) && isWhole(json, start, at)) return true;
  }
  return false;
}

function isLarge(json: Uint8Array, start: number, end: number): boolean {
  if (end - start !== safeDigits) return end - start > safeDigits;
  let value = 0;
  for (let at = start; at < end; at++) value = value * 10 + json[at]! - 0x30;
  return value > Number.MAX_SAFE_INTEGER;
}

/**
 * Returns true if these digits are a whole number: at the beginning or after a colon, a comma, a bracket or white space,
 * and without a fraction or exponent.
 */
function isWhole(json: Uint8Array, start: number, end: number): boolean {
  const before = json[start - 1] === minus ? json[start - 2] : json[start - 1];
  return (before === undefined || isAnyOf(':,[ \t\n\r', before)) && !isAnyOf('.eE', json[end]);
}

function isAnyOf(characters: string, byte: number | undefined): boolean {
  return byte !== undefined && characters.includes(String.fromCharCode(byte));
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}
