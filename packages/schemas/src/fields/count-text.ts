/**
 * Formats a whole number in English: `1,234`. `toLocaleString` would make Node load the data of all locales: 7 MB per
 * process.
 */
export const countText = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
