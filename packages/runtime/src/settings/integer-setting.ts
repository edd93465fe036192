import { z } from 'zod';

export const integerSetting = (min: number, max: number, fallback: number, description: string) =>
  z
    .string()
    .regex(/^\s*-?\d+\s*$/, 'must be a whole number.')
    .transform(Number)
    .pipe(z.number().int().min(min).max(max))
    .default(fallback)
    .meta({ description });
