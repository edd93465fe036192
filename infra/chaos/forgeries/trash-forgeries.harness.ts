import type { Evidence } from '../evidence/evidence.ts';
import { changed, type Forgery } from './forgery.harness.ts';

type Trash = Evidence['trash'];

const forged = (change: (trash: Trash) => Partial<Trash>): Forgery[1] => {
  return ({ trash }) => ({ trash: { ...trash, ...change(trash) } });
};

/** Forgeries of the final state after deletes, restores and merges. */
export const trashForgeries: readonly Forgery[] = [
  [
    'the history of each record leads without a gap to the record or its entry in the trash (acceptance B7.8)',
    forged(({ records, entries }) => ({ records: [...records, entries[0]!], entries: entries.slice(1) })),
  ],
  [
    'no record refers to a missing record, and no link is kept for an existing record (acceptance B7.8)',
    forged(() => ({ dangling: 1 })),
  ],
  [
    'stored totals equal the numbers of rows (acceptance B7.8)',
    forged(({ totals }) => ({
      totals: changed(
        totals,
        () => true,
        ({ count }) => ({ count: count + 1 }),
      ),
    })),
  ],
  [
    'deletes, restores and merges get only expected answers',
    forged(({ sent }) => ({
      sent: changed(
        sent,
        () => true,
        ({ response }) => ({ response: { ...response, status: 500 } }),
      ),
    })),
  ],
];
