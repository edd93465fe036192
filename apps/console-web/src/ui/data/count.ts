const grouped = new Intl.NumberFormat('en');

/** `1,234`. */
export const countText = (count: number) => grouped.format(count);

/** `1,234`; `1,000+` of what is counted up to a bound. */
export const boundedText = (count: number, max: number) => `${countText(count)}${count >= max ? '+' : ''}`;

/** `run` of one, `runs` of others. */
export const nounText = (count: number, one: string, others = `${one}s`) => (count === 1 ? one : others);
