import { OverlapMs } from '@relata/auth';
import { parseDurationMs } from '@relata/runtime';
import { instant } from '@relata/schemas';
import { z } from 'zod';
import { refuseText } from '../../command/parameter.ts';

/** Reads a date and time, or a duration from now, as a future instant. */
export const expiry = z.string().transform((text, ctx) => {
  const ms = readWhen(text);
  if (ms > Date.now()) return new Date(ms).toISOString();
  const message = Number.isNaN(ms)
    ? 'Must be a date and time like 2027-01-31T00:00:00Z, or a duration like 90d.'
    : 'Must be in the future.';
  return refuseText(ctx, message);
});

function readWhen(text: string): number {
  const durationMs = parseDurationMs(text);
  const moment = durationMs === undefined ? text : momentAfter(durationMs);
  return Date.parse(instant().safeParse(moment).data ?? '');
}

function momentAfter(durationMs: number): string {
  const date = new Date(Date.now() + durationMs);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

/** Reads a duration like `30m`, for which an old key or secret stays valid. Returns milliseconds. */
export const overlap = z.string().transform((text, ctx) => {
  const ms = text === '0' ? 0 : parseDurationMs(text);
  if (OverlapMs.safeParse(ms).success) return ms!;
  return refuseText(ctx, 'Must be a duration like 30m, 1h or 7d, of at most 365d.');
});
