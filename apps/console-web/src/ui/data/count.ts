import { countText } from '@relata/schemas/count-text';

export { countText };

/** Returns `1,234`, or `1,000+` if counting stopped at a bound. */
export const boundedText = (count: number, max: number) => `${countText(count)}${count >= max ? '+' : ''}`;

/** Returns the singular for 1, else the plural: `run`, `runs`. */
export const nounText = (count: number, one: string, others = `${one}s`) => (count === 1 ? one : others);

/** Returns a text such as `1 run` or `1,234 runs`. */
export const countedText = (count: number, one: string, others?: string) =>
  `${countText(count)} ${nounText(count, one, others)}`;

/** Returns `1,234`, or `–` for a number that was not counted. */
export const knownText = (count: number | null) => (count === null ? '–' : countText(count));

/** Adds numbers; null if one of them was not counted. */
export const knownSum = (counts: readonly (number | null)[]): number | null =>
  counts.reduce((sum, count) => (sum === null || count === null ? null : sum + count), 0);

export type Noun = readonly [one: string, many: string];

/** Counts the rows of a list: `6 deliveries`, or `100 deliveries shown` if it has more. */
export const shownText = (count: number, [one, many]: Noun, hasMore: boolean) =>
  `${countedText(count, one, many)}${hasMore ? ' shown' : ''}`;
