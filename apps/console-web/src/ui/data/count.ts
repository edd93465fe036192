import { countText } from '@relata/schemas/count-text';

export { countText };

/** `1,234`; `1,000+` of what is counted up to a bound. */
export const boundedText = (count: number, max: number) => `${countText(count)}${count >= max ? '+' : ''}`;

/** `run` of one, `runs` of others. */
export const nounText = (count: number, one: string, others = `${one}s`) => (count === 1 ? one : others);
