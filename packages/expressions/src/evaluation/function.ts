import { ExpressionError } from '../expression.error.ts';
import type { Frame } from './frame.ts';
import { valueKind, type Value } from './value.ts';

/** A function or method of CEL. The first argument of a method is its receiver. */
export type CelFunction = (args: readonly Value[], frame: Frame) => Value;

export function textArgument(value: Value | undefined): string {
  if (typeof value === 'string') return value;
  throw unfitArgument('a string', value);
}

export function listArgument(value: Value | undefined): readonly Value[] {
  if (Array.isArray(value)) return value as readonly Value[];
  throw unfitArgument('a list', value);
}

export function wholeArgument(value: Value): number {
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
  throw unfitArgument('a whole number', value);
}

export function unfitArgument(wanted: string, value: Value | undefined): ExpressionError {
  return new ExpressionError(`A function needs ${wanted}, but got: ${valueKind(value ?? null)}.`);
}
