import { parseDurationMs } from '@relata/runtime';
import { z } from 'zod';

const hourMs = 3_600_000;
const words = { '5m': hourMs / 12, '7d': 168 * hourMs, '365d': 8_760 * hourMs } as const;

/** Returns a schema of durations like `250ms`, `30s`, `5m`, `2h` or `7d`, up to `max`. */
export function durationText(max: keyof typeof words, { isZeroAllowed = true } = {}) {
  return z
    .string()
    .check((ctx) => {
      const ms = parseDurationMs(ctx.value);
      const message =
        ms === undefined
          ? 'Must be a duration like 250ms, 30s, 5m, 2h or 7d.'
          : ms > words[max]
            ? `Must be at most ${max}.`
            : ms === 0 && !isZeroAllowed
              ? 'Must be longer than 0.'
              : undefined;
      if (message !== undefined) ctx.issues.push({ code: 'custom', message, input: ctx.value });
    })
    .meta({ pattern: '^\\d{1,9}(ms|s|m|h|d)$' });
}
