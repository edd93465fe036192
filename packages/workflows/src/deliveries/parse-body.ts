import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { isLargeJson, JsonFaultError, readInSteps } from '@relata/schemas/errors';
import { isForm, jsonInForm, readFormFields } from '@relata/schemas/form-body';

const minus = 0x2d;
/** Number of digits of 2^53 - 1. A whole number with fewer digits is always exact. */
const safeDigits = 16;

/**
 * Returns `parsed` with whole numbers beyond 2^53 as bigint. Numbers that JSON.parse reads as Infinity stay Infinity.
 */
export function withExactNumbers<T>(parsed: T, body: Buffer): T {
  return hasLargeNumber(body) ? (JSON.parse(body.toString('utf8'), exact as Reviver) as T) : parsed;
}

interface StoredBody {
  body: Buffer;
  headers: Readonly<Record<string, string>>;
}

/** Parses a stored body, which is JSON or a form. An empty body is parsed as an empty object. Throws SyntaxError. */
export function parseBody(stored: StoredBody): unknown {
  const parsing = bodySteps(stored, wholeJson);
  for (;;) {
    const { done, value } = parsing.next();
    if (done) return value;
  }
}

/** Yields the event loop, so that other work gets its turn. */
export type GiveWay = () => Promise<unknown>;

/**
 * Parses a stored body like `parseBody`, and gives way every 2 ms while it reads a large body. Throws SyntaxError or
 * JsonFaultError.
 */
export async function parseBodyInSteps(stored: StoredBody, giveWay: GiveWay = () => setImmediate()): Promise<unknown> {
  const parsing = bodySteps(stored, jsonSteps);
  for (;;) {
    const { done, value } = parsing.next();
    if (done) return value;
    await giveWay();
  }
}

type ReadJson = (json: Buffer) => Generator<void, unknown>;

function* bodySteps({ body, headers }: StoredBody, readJson: ReadJson): Generator<void, unknown> {
  if (body.length === 0) return {};
  try {
    if (isForm(headers) && !isUtf8(body)) throw new SyntaxError('A form that is not UTF-8 is no JSON.');
    return yield* readJson(body);
  } catch (error) {
    if (!isForm(headers)) throw error;
    const fields = yield* readFormFields(body.toString('utf8'));
    const json = jsonInForm(fields);
    return json === undefined ? fields : yield* readJson(Buffer.from(json));
  }
}

// oxlint-disable-next-line require-yield -- it is the variant of `jsonSteps` without pauses
function* wholeJson(json: Buffer): Generator<void, unknown> {
  return withExactNumbers(JSON.parse(json.toString('utf8')) as unknown, json);
}

function* jsonSteps(json: Buffer): Generator<void, unknown> {
  if (!isLargeJson(json)) return yield* wholeJson(json);
  return (yield* readInSteps(json.toString('utf8'), { isExact: true })).value;
}

type Reviver = (key: string, value: unknown) => unknown;

function exact(_key: string, value: unknown, { source }: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || !Number.isFinite(value)) return value;
  return /^-?\d+$/.test(source!) ? BigInt(source!) : value;
}

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
 * Returns true if these digits are a whole number: after a colon, a comma, a bracket or white space, and without a
 * fraction or exponent.
 */
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

/** Parses a stored body. Returns undefined if it is neither JSON nor a form; the receiver rejects such bodies. */
export function readPayload(stored: StoredBody): unknown {
  try {
    return parseBody(stored);
  } catch {
    return undefined;
  }
}

/** Parses a stored body like `readPayload`, and gives way like `parseBodyInSteps`. */
export async function readPayloadInSteps(stored: StoredBody, giveWay?: GiveWay): Promise<unknown> {
  try {
    return await parseBodyInSteps(stored, giveWay);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonFaultError) return undefined;
    throw error;
  }
}
