import { z } from 'zod';
import { problem } from './text.ts';

const amountMagnitudeMax = 1e15;

/** Accepts money: at most four decimals and a magnitude below 1e15, the range of `numeric(19,4)`. */
export function amount(): z.ZodNumber {
  return z
    .number()
    .check((ctx) => {
      const { value } = ctx;
      if (Math.abs(value) >= amountMagnitudeMax) problem(ctx, 'out_of_range', 'Must be between -1e15 and 1e15.');
      else if (Number(value.toFixed(4)) !== value) problem(ctx, 'out_of_range', 'Must have at most 4 decimals.');
    })
    .meta({ exclusiveMinimum: -amountMagnitudeMax, exclusiveMaximum: amountMagnitudeMax });
}

/**
 * Accepts a whole number from a query string, up to 2^53 - 1. Only digits are valid: `1e1`, `0x1` and ` 1` are refused.
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
