/** A figure as our pages write it: 1,235 or 0.42, with as many digits as it has meaning. */
export function figure(value: number): string {
  if (value >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString('en-US');
  const digits = value >= 10 ? 0 : value >= 1 ? 1 : 2;
  return value.toFixed(digits);
}

const words = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];

export const inWords = (count: number): string => words[count] ?? figure(count);

/** µs in each second as cores. */
export const coresOf = (microseconds: number): number => microseconds / 1_000_000;

/** Returns the cores to provide: twice the need, in whole cores. */
export const coresFor = (cores: number): number => Math.max(1, Math.ceil(cores * 2));
