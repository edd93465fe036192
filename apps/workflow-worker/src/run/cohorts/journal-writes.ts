import { type Db, isContended, isUnavailable } from '@relata/db';
import { Batcher } from '@relata/runtime';
import { type RunEntries, writeJournals } from '@relata/workflows/execution';

/** Few wait for each other, and each statement is short. */
const runsMax = 32;
const partyMax = runsMax / 4;

/** Of one statement; a run that has more goes alone. */
const charactersMax = 300_000;

/** Of three organizations. */
const writesMax = 3;

/**
 * What runs write by themselves, outside of cohorts: an attempt that begins, what became of it, a wait. Runs that do so at
 * the same time share a statement, and an organization has one at a time: a hundred calls that begin at once are four
 * statements, behind which nobody else waits.
 */
export class JournalWrites {
  readonly #batcher: Batcher<RunEntries, PromiseSettledResult<string | null>>;

  constructor(database: Db) {
    this.#batcher = new Batcher({
      run: (journals) => writeJournals(database, journals),
      // Where one of them is in conflict with another transaction, too: the others are not to be done again for it.
      isItemFault: (error) => isContended(error) || !isUnavailable(error),
      partyOf: ({ orgId }) => [orgId],
      itemsMax: runsMax,
      partyMax,
      weight: { of: ({ entries }) => charactersOf(entries), batchMax: charactersMax, waitingMax: Infinity },
      flushers: writesMax,
      areApart: true,
      waitingMax: Infinity,
    });
  }

  /** Returns when a run that waits is due; throws what `writeJournal` does. */
  async write(journal: RunEntries): Promise<string | null> {
    const settled = await this.#batcher.add(journal);
    if (settled.status === 'rejected') throw settled.reason;
    return settled.value;
  }
}

/** Of inputs and outputs, as JSON. */
export function charactersOf(entries: RunEntries['entries']): number {
  return entries.reduce((sum, { input, output }) => sum + (input?.length ?? 0) + (output?.length ?? 0), 0);
}
