const minus = 0x2d;
/** Digits of 2^53 - 1: a whole number of fewer is always exact. */
const safeDigits = 16;

/** `parsed` as the body has it: whole numbers beyond 2^53 are bigint. What JSON.parse takes for infinite stays so. */
export function withExactNumbers<T>(parsed: T, body: Buffer): T {
  return hasLargeNumber(body) ? (JSON.parse(body.toString('utf8'), exact as Reviver) as T) : parsed;
}

/** What a stored body says; nothing at all is an empty object. Throws SyntaxError. */
export function parseBody(body: Buffer): unknown {
  return body.length === 0 ? {} : withExactNumbers(JSON.parse(body.toString('utf8')) as unknown, body);
}

type Reviver = (key: string, value: unknown) => unknown;

function exact(_key: string, value: unknown, { source }: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || !Number.isFinite(value)) return value;
  return /^-?\d+$/.test(source!) ? BigInt(source!) : value;
}

/**
 * Returns true if JSON may have such a number. Only every 16th byte is looked at: so many digits in a row pass none by.
 * What stands in a text behind a space counts too; it costs a second parse.
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

/** A number stands behind a colon, a comma, a bracket or white space, and these digits are all of it. */
function isWhole(json: Uint8Array, start: number, end: number): boolean {
  const before = json[start - 1] === minus ? json[start - 2] : json[start - 1];
  return isAnyOf(':,[ \t\n\r', before) && !isAnyOf('.eE', json[end]);
}

function isAnyOf(characters: string, byte: number | undefined): boolean {
  return byte !== undefined && characters.includes(String.fromCharCode(byte));
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** What a stored body says; undefined for what is no JSON, which the receiver does not let pass. */
export function payloadOf(body: Buffer): unknown {
  try {
    return parseBody(body);
  } catch {
    return undefined;
  }
}
