import { z } from 'zod';

/** Reads a typed whole number of at most ten digits. */
export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .transform((text) => (/^\d{1,10}$/.test(text) ? Number(text) : Number.NaN))
    .refine((number) => number >= min && number <= max, {
      message: `Must be a whole number from ${min} to ${max}.`,
      params: { code: 'out_of_range' },
    });
