import { ExpressionError } from '../expression.error.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * A value during evaluation: JSON, whole numbers (bigint), instants and durations. Values from senders are JSON, or
 * bigint for whole numbers of a payload that a double cannot hold.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Date
  | Duration
  | readonly Value[]
  | { readonly [key: string]: Value };

/** A duration in milliseconds, possibly fractional. */
export class Duration {
  readonly ms: number;

  constructor(ms: number) {
    this.ms = ms;
  }

  /** Formats the duration so that the step `delay` can read it. */
  toString(): string {
    return this.ms % 1_000 === 0 ? `${this.ms / 1_000}s` : `${Math.trunc(this.ms)}ms`;
  }
}

export type MapValue = { readonly [key: string]: Value };

/** Returns the kind of a value as error messages name it. A bigint is a number. */
export function valueKind(value: Value): string {
  if (value === null) return 'null';
  if (typeof value === 'bigint') return 'number';
  if (typeof value !== 'object') return typeof value;
  if (Array.isArray(value)) return 'list';
  if (value instanceof Date) return 'timestamp';
  return value instanceof Duration ? 'duration' : 'object';
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function isMap(value: Value): value is MapValue {
  return typeof value === 'object' && value !== null && valueKind(value) === 'object';
}

export function isNumber(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

const intMin = -(2n ** 63n);
const intMax = 2n ** 63n - 1n;

/** Returns true if a whole number has at most the 64 bits that CEL allows. */
export function isInt64(value: bigint): boolean {
  return value >= intMin && value <= intMax;
}

export function int64(value: bigint): bigint {
  if (!isInt64(value)) throw new ExpressionError('The whole number has more than 64 bits.');
  return value;
}

const instantMin = new Date('0001-01-01T00:00:00Z').getTime();
const instantMax = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Returns an instant of the years 1 to 9999; throws an ExpressionError for any other time. */
export function toDate(ms: number): Date {
  if (!(ms >= instantMin && ms <= instantMax)) throw new ExpressionError('The time is outside the years 1 to 9999.');
  return new Date(ms);
}
