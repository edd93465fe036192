import { instant } from '@relata/schemas';
import { ExpressionError } from '../expression.error.ts';
import { type CelFunction, textArgument, unfitArgument } from './function.ts';
import type { Frame } from './frame.ts';
import { splitName } from './name-parts.ts';
import { size } from './text-functions.ts';
import { encodeComponent } from '../templates/url-template.ts';
import { Duration, toDate, int64, isInt64, type Value } from './value.ts';

const iso = instant();
const numeralMax = 100;

function unreadable(as: string): ExpressionError {
  return new ExpressionError(`The text cannot be converted to ${as}.`);
}

function bool(value: Value): Value {
  if (typeof value === 'boolean') return value;
  if (value === 'true') return true;
  if (value === 'false') return false;
  throw typeof value === 'string' ? unreadable('true or false') : unfitArgument('a string', value);
}

function double(value: Value): Value {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'string') throw unfitArgument('a number or a string', value);
  const number = /^[+-]?\.?\d/.test(value) && value.length <= numeralMax ? Number(value) : Number.NaN;
  if (!Number.isFinite(number)) throw unreadable('a number');
  return number;
}

function int(value: Value): Value {
  if (typeof value === 'bigint') return value;
  if (value instanceof Date) return BigInt(Math.floor(value.getTime() / 1_000));
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return int64(BigInt(Math.trunc(value)));
    throw new ExpressionError('The number is not finite.');
  }
  if (typeof value !== 'string') throw unfitArgument('a number or a string', value);
  const number = /^[+-]?\d{1,20}$/.test(value) ? BigInt(value.replace('+', '')) : undefined;
  if (number === undefined || !isInt64(number)) throw unreadable('a whole number');
  return number;
}

/** Converts any value except null, a list or an object to text. */
function string(value: Value): Value {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Duration) return value.toString();
  if (typeof value === 'object') throw unfitArgument('a single value', value);
  return String(value);
}

function timestamp(value: Value): Value {
  if (value instanceof Date) return value;
  if (typeof value === 'bigint') return toDate(Number(value) * 1_000);
  if (typeof value !== 'string') throw unfitArgument('a string', value);
  const { data } = iso.safeParse(value);
  if (data === undefined) throw unreadable('a time; write it like 2026-01-31T09:30:00Z');
  return new Date(data);
}

const unitMs: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  ns: 1e-6,
};
const durationPattern = /^([+-]?)((?:\d{1,15}(?:\.\d{1,15})?(?:h|ms|m|s|us|µs|ns))+)$/;

function duration(value: Value): Value {
  if (value instanceof Duration) return value;
  if (typeof value !== 'string') throw unfitArgument('a string', value);
  const [, sign, parts] = (value.length <= numeralMax && durationPattern.exec(value)) || [];
  if (parts === undefined) throw unreadable('a duration; write it like 1h30m or 90s');
  const ms = [...parts.matchAll(/([\d.]+)(h|ms|m|s|us|µs|ns)/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * unitMs[unit!]!,
    0,
  );
  return new Duration(sign === '-' ? -ms : ms);
}

/** Work charged for a conversion, which matches patterns and creates text. */
const conversionWork = 20;
const timeWork = 150;

function converting(convert: (value: Value) => Value, work = conversionWork): CelFunction {
  return ([value]: readonly Value[], frame: Frame) => {
    frame.charge(work);
    return convert(value!);
  };
}

/**
 * Encodes a string as one component of a URL. Refuses `.` and `..`, because they change the path of a URL even if they
 * are encoded, and the function does not know the rest of the URL.
 */
function urlEncode([value]: readonly Value[], frame: Frame): Value {
  const text = textArgument(value);
  frame.charge(1 + text.length);
  if (text === '.' || text === '..') throw new ExpressionError('urlEncode() cannot encode "." and "..".');
  const encoded = encodeComponent(text);
  frame.chargeText(encoded.length);
  return encoded;
}

/** Work charged per character of a name, which is read several times. */
const nameWork = 4;

function nameParts([value]: readonly Value[], frame: Frame): Value {
  const text = textArgument(value);
  frame.charge(conversionWork + text.length * nameWork);
  return { ...splitName(text) };
}

/** Functions that are not methods, by name and number of arguments. */
export const functions: Readonly<Record<string, CelFunction>> = {
  'size/1': size,
  'bool/1': converting(bool),
  'double/1': converting(double),
  'int/1': converting(int),
  'string/1': converting(string),
  'timestamp/1': converting(timestamp, timeWork),
  'duration/1': converting(duration, timeWork),
  'dyn/1': ([value]) => value!,
  'urlEncode/1': urlEncode,
  'name_parts/1': nameParts,
};
