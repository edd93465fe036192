/** Units with their length and rounding tolerance (half of the next smaller unit), in seconds. */
const units: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number, half: number])[] = [
  ['day', 86_400, 1_800],
  ['hour', 3_600, 30],
  ['minute', 60, 0.5],
  ['second', 1, 0.5],
];

const words = new Intl.RelativeTimeFormat('en', { style: 'short', numeric: 'always' });

/**
 * Says how long ago an instant was, in completed units, or how far away it is, rounded to the nearest unit: “in 90
 * days” is still “in 90 days” an hour later.
 */
export function relativeText(atMs: number, nowMs: number): string {
  const seconds = (atMs - nowMs) / 1_000;
  if (Math.abs(seconds) < 2) return 'just now';
  const isPast = seconds < 0;
  const [unit, size] = units.find(([, each, half]) => Math.abs(seconds) >= each - (isPast ? 0 : half))!;
  return words.format((isPast ? Math.trunc : Math.round)(seconds / size), unit).replace('.', '');
}
