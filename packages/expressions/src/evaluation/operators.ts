import { isEqual } from './equality.ts';
import { ExpressionError } from '../expression.error.ts';
import type { Frame } from './frame.ts';
import { Duration, toDate, int64, isInt64, isList, isMap, isNumber, valueKind, type Value } from './value.ts';

export type Binary = (a: Value, b: Value, frame: Frame) => Value;

interface Arithmetic {
  ints(a: bigint, b: bigint): bigint;
  doubles(a: number, b: number): number;
}

const arithmetics = {
  '+': { ints: (a, b) => a + b, doubles: (a, b) => a + b },
  '-': { ints: (a, b) => a - b, doubles: (a, b) => a - b },
  '*': { ints: (a, b) => a * b, doubles: (a, b) => a * b },
  '/': { ints: (a, b) => a / nonZero(b), doubles: (a, b) => a / b },
  '%': { ints: (a, b) => a % nonZero(b), doubles: (a, b) => a % b },
} satisfies Record<string, Arithmetic>;

/**
 * Returns an arithmetic operator. JSON numbers are doubles, and whole CEL literals are integers. If the operands are a
 * double and an integer, or if one is an integer with more than 64 bits, the result is a double.
 */
function arithmetic(operator: keyof typeof arithmetics): Binary {
  const { ints, doubles }: Arithmetic = arithmetics[operator];
  return (a, b) => {
    if (typeof a === 'bigint' && typeof b === 'bigint' && isInt64(a) && isInt64(b)) return int64(ints(a, b));
    if (isNumber(a) && isNumber(b)) return doubles(Number(a), Number(b));
    throw unfit(operator, a, b);
  };
}

function unfit(operator: string, a: Value, b: Value): ExpressionError {
  return new ExpressionError(`The operator ${operator} does not accept ${valueKind(a)} and ${valueKind(b)}.`);
}

function nonZero(divisor: bigint): bigint {
  if (divisor === 0n) throw new ExpressionError('Division by zero.');
  return divisor;
}

const addNumbers = arithmetic('+');
const subtractNumbers = arithmetic('-');

function add(a: Value, b: Value, frame: Frame): Value {
  if (typeof a === 'string' && typeof b === 'string') {
    frame.chargeText(a.length + b.length);
    return a + b;
  }
  if (isList(a) && isList(b)) {
    frame.chargeItems(a.length + b.length);
    return [...a, ...b];
  }
  if (a instanceof Date && b instanceof Duration) return toDate(a.getTime() + b.ms);
  if (a instanceof Duration && b instanceof Date) return toDate(a.ms + b.getTime());
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.ms + b.ms);
  return addNumbers(a, b, frame);
}

function subtract(a: Value, b: Value, frame: Frame): Value {
  if (a instanceof Date && b instanceof Duration) return toDate(a.getTime() - b.ms);
  if (a instanceof Date && b instanceof Date) return new Duration(a.getTime() - b.getTime());
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.ms - b.ms);
  return subtractNumbers(a, b, frame);
}

/** Compares two values. Returns a negative number, 0 or a positive number; NaN if an operand is NaN. */
function compare(operator: string, a: Value, b: Value, frame: Frame): number {
  if (typeof a === 'string' && typeof b === 'string') {
    frame.chargeText(Math.min(a.length, b.length));
    return a < b ? -1 : Number(a > b);
  }
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : a <= b ? 0 : Number.NaN;
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Date && b instanceof Date) return a.getTime() - b.getTime();
  if (a instanceof Duration && b instanceof Duration) return a.ms - b.ms;
  throw unfit(operator, a, b);
}

function isIn(item: Value, container: Value, frame: Frame): boolean {
  if (isList(container)) return container.some((member) => isEqual(item, member, frame));
  if (isMap(container)) return typeof item === 'string' && Object.hasOwn(container, item);
  throw unfit('in', item, container);
}

/** CEL's operators with two operands, except `&&` and `||`. */
export const binaryOperators: Readonly<Record<string, Binary>> = {
  '+': add,
  '-': subtract,
  '*': arithmetic('*'),
  '/': arithmetic('/'),
  '%': arithmetic('%'),
  '==': isEqual,
  '!=': (a, b, frame) => !isEqual(a, b, frame),
  '<': (a, b, frame) => compare('<', a, b, frame) < 0,
  '<=': (a, b, frame) => compare('<=', a, b, frame) <= 0,
  '>': (a, b, frame) => compare('>', a, b, frame) > 0,
  '>=': (a, b, frame) => compare('>=', a, b, frame) >= 0,
  in: isIn,
};

export function not(value: Value): boolean {
  return !condition(value, '!');
}

export function negate(value: Value): Value {
  if (typeof value === 'bigint') return isInt64(value) ? int64(-value) : -Number(value);
  if (typeof value === 'number') return -value;
  throw new ExpressionError(`The operator - needs a number, but got: ${valueKind(value)}.`);
}

/** Returns the operand of a logical operator; throws an ExpressionError if it is neither true nor false. */
export function condition(value: Value, operator: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new ExpressionError(`${operator} needs true or false, but got: ${valueKind(value)}.`);
}
