import type { RecordRules } from '../writes/record-rules.ts';

/** Rules of custom activities: an id that is given twice is linked once. */
export const customActivityRules: RecordRules = {
  create: (_on, given) => ({
    ...given,
    contact_ids: dedupe(given['contact_ids']),
    opportunity_ids: dedupe(given['opportunity_ids']),
  }),
};

function dedupe(ids: unknown): string[] {
  return [...new Set(ids as string[] | null | undefined)];
}
