import { parseDurationMs } from '@relata/runtime';
import { instant } from '@relata/schemas';
import { invalidInput } from './step.error.ts';

const delayMaxMs = 365 * 86_400_000;

/** When a delay ends: after so long by the database's clock, or at an instant. */
export function timerOf(input: Record<string, unknown>): { wakeInMs: number } | { wakeAt: string } {
  if (input['until'] !== undefined) return { wakeAt: readInstant(input['until']) };
  const ms = parseDurationMs(String(input['for']));
  if (ms === undefined) throw invalidInput('for', 'Must be a duration like 250ms, 10s, 5m, 2h or 7d.');
  if (ms > delayMaxMs) throw invalidInput('for', 'Must be at most 365d.');
  return { wakeInMs: ms };
}

function readInstant(value: unknown): string {
  const parsed = instant().safeParse(value);
  if (!parsed.success) throw invalidInput('until', 'Must be a date and time with a zone.');
  if (Date.parse(parsed.data) > Date.now() + delayMaxMs) throw invalidInput('until', 'Must be within 365 days.');
  return parsed.data;
}
