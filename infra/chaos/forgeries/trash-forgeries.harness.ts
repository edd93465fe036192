import type { Evidence } from '../evidence/evidence.ts';
import { changed, type Forgery } from './forgery.harness.ts';

type Trash = Evidence['trash'];

const forged = (change: (trash: Trash) => Partial<Trash>): Forgery[1] => {
  return ({ trash }) => ({ trash: { ...trash, ...change(trash) } });
};

/** Forgeries of the final state after deletes, restores and merges. */
export const trashForgeries: readonly Forgery[] = [
  [
    'B7.8: the history of each record leads, without a gap, to the record or its entry in the trash',
    forged(({ records, entries }) => ({ records: [...records, entries[0]!], entries: entries.slice(1) })),
  ],
  [
    'B7.8: no record refers to one that does not exist, and no link is kept for a record that does',
    forged(() => ({ dangling: 1 })),
  ],
  [
    'B7.8: kept totals are the numbers of rows',
    forged(({ totals }) => ({
      totals: changed(
        totals,
        () => true,
        ({ count }) => ({ count: count + 1 }),
      ),
    })),
  ],
  [
    'a delete, a restore or a merge gets an answer that it may get',
    forged(({ sent }) => ({
      sent: changed(
        sent,
        () => true,
        ({ answer }) => ({ answer: { ...answer, status: 500 } }),
      ),
    })),
  ],
];
