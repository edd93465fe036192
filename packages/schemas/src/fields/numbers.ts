import { z } from 'zod';
import { problem } from './text.ts';

const amountMagnitudeMax = 1e15;

/** Money: at most four decimals, magnitude below 1e15. `numeric(19,4)` holds exactly these. */
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

/** A whole number from a query string: digits only, so `1e1`, `0x1` and ` 1` are refused. At most 2^53 - 1. */
export function queryInteger({ min, max }: { min: number; max?: number }) {
  const whole = z.number().int().min(min);
  return z.preprocess(readInteger, max === undefined ? whole : whole.max(max));
}

function readInteger(value: unknown): unknown {
  if (typeof value !== 'string' || !/^-?\d+$/.test(value)) return value;
  // So many digits that a double cannot even hold the magnitude are still a number, and out of range.
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, Number(value)));
}
