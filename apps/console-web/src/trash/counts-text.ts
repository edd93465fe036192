import { countedText } from '../ui/data/count.ts';

const singulars: Record<string, string> = {
  accounts: 'account',
  contacts: 'contact',
  opportunities: 'opportunity',
  activities: 'activity',
};

/** Returns numbers of records by kind in words: `3 opportunities, 1 contact`; empty if there are none. */
export function countsText(counts: Readonly<Record<string, number>>): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.map(([kind, count]) => countedText(count, singulars[kind] ?? kind, kind)).join(', ');
}
