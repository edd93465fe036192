import { z } from 'zod';
import { problem } from './text.ts';

/** Type of a column that stores numbers. */
export type NumberColumn = 'integer' | 'bigint' | `numeric(${number},${number})`;

/**
 * Column types of the schemas that this file creates. A schema derived from one of them, for example by `meta`, keeps
 * the type.
 */
const columns = z.registry<{ type: NumberColumn }>();

/**
 * Returns the type of the column that can hold every number that a schema accepts; undefined for a schema that was not
 * created in this file.
 */
export const numberColumnOf = (schema: z.ZodType): NumberColumn | undefined => columns.get(schema)?.type;

/** Accepts every whole number that a column of type `integer` can hold: those of 32 bits. */
export function integer(): z.ZodInt {
  return z
    .int()
    .min(-(2 ** 31))
    .max(2 ** 31 - 1)
    .register(columns, { type: 'integer' });
}

/** Accepts whole numbers for a column of type `bigint`: those up to 2^53 - 1, which JSON keeps exactly. */
export function bigint(): z.ZodInt {
  return z.int().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER).register(columns, { type: 'bigint' });
}

/** Accepts every number that a column of type `numeric(precision, scale)` can hold without rounding. */
export function numeric(precision: number, scale: number): z.ZodNumber {
  const magnitude = 10 ** (precision - scale);
  const limit = powerText(magnitude);
  return z
    .number()
    .check((ctx) => {
      const { value } = ctx;
      if (Math.abs(value) >= magnitude) problem(ctx, 'out_of_range', `Must be between -${limit} and ${limit}.`);
      else if (Number(value.toFixed(scale)) !== value)
        problem(ctx, 'out_of_range', scale === 0 ? 'Must be a whole number.' : `Must have at most ${scale} decimals.`);
    })
    .meta({ exclusiveMinimum: -magnitude, exclusiveMaximum: magnitude })
    .register(columns, { type: `numeric(${precision},${scale})` });
}

/** Returns the shorter text of a power of ten: `1000`, but `1e15`. */
const powerText = (power: number) => (power < 1e6 ? String(power) : power.toExponential().replace('+', ''));

/** Accepts money: at most four decimals and a magnitude below 1e15. */
export const amount = () => numeric(19, 4);

/**
 * Accepts a whole number from a query string, up to 2^53 - 1. Only digits after an optional minus are valid: `1e1`,
 * `0x1` and ` 1` are refused.
 */
export function queryInteger({ min, max }: { min: number; max?: number }) {
  const whole = z.number().int().min(min);
  return z.preprocess(readInteger, max === undefined ? whole : whole.max(max));
}

function readInteger(value: unknown): unknown {
  if (typeof value !== 'string' || !/^-?\d+$/.test(value)) return value;
  // A number whose magnitude a double cannot hold is still a number, so the problem is that it is out of range.
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, Number(value)));
}
