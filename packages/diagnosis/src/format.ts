/** Returns a count with its noun: `3 rows`, `1 row`. */
export const formatCount = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

const namesMax = 5;

/** Returns the first names as text, and the number of other names. */
export function formatNames(names: readonly string[]): string {
  const left = names.length - namesMax;
  return left > 0 ? `${names.slice(0, namesMax).join(', ')} and ${left} more` : names.join(', ');
}

/** Returns a duration in one suitable unit: `40 s`, `12 min`, `3 h`, `2 days`. */
export function formatDuration(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}
