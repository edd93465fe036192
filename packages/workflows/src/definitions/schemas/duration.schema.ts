import { parseDurationMs } from '@relata/runtime';
import { checkedText } from './checked-text.schema.ts';

const hourMs = 3_600_000;
const words = { '5m': hourMs / 12, '7d': 168 * hourMs, '365d': 8_760 * hourMs } as const;

/** Returns a schema of durations like `250ms`, `30s`, `5m`, `2h` or `7d`, up to `max`. */
export function durationText(max: keyof typeof words, { isZeroAllowed = true } = {}) {
  const problemOf = (text: string) => {
    const ms = parseDurationMs(text);
    if (ms === undefined) return 'Must be a duration like 250ms, 30s, 5m, 2h or 7d.';
    if (ms > words[max]) return `Must be at most ${max}.`;
    return ms === 0 && !isZeroAllowed ? 'Must be longer than 0.' : undefined;
  };
  return checkedText(problemOf).meta({ pattern: '^\\d{1,11}(ms|s|m|h|d)$' });
}
