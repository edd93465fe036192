/**
 * A whole number as English writes it: `1,234`. Not by `toLocaleString`, with which Node loads the data of all locales: 7 MB of
 * each process.
 */
export const countText = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
