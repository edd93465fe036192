import { z } from 'zod';
import { problem } from './text.ts';

const yearOne = -62_135_596_800_000;
const yearTenThousand = 253_402_300_800_000;

/** Milliseconds since 1970, or undefined for what is no ISO 8601 instant (RFC 9557's `[zone]` suffix is none). */
function readInstant(value: string): number | undefined {
  if (value.length > 64 || value.includes('[')) return undefined;
  try {
    return Temporal.Instant.from(value).epochMilliseconds;
  } catch {
    return undefined;
  }
}

function isInRange(ms: number): boolean {
  return ms >= yearOne && ms < yearTenThousand;
}

/** Any ISO 8601 instant with a zone or offset, of the years 1 to 9999; read as UTC with milliseconds and `Z`. */
export function instant(): z.ZodString {
  return z
    .string()
    .check((ctx) => {
      const ms = readInstant(ctx.value);
      if (ms === undefined)
        problem(ctx, 'invalid_format', 'Must be an ISO 8601 date and time with a zone, like 2026-01-31T09:30:00Z.');
      else if (!isInRange(ms)) problem(ctx, 'out_of_range', 'Must be within the years 1 to 9999.');
      else ctx.value = new Date(ms).toISOString();
    })
    .meta({ format: 'date-time' });
}

/** When a record was made or changed; the service sets it. */
export const timestamp = (description: string) =>
  z
    .string()
    .nullable()
    .meta({ format: 'date-time', description, examples: ['2026-01-31T09:30:00.000Z'] });
