import { type Database, RolledBackError, runTogether, type UnitDb, type UnitWork } from '@relata/db';
import { Batcher, type Slots } from '@relata/runtime';
import { LeaseLostError, StaleJournalError } from '@relata/workflows/execution';
import { GroupFailure, LateFailure } from '../interruption.ts';

/** What a run does within the transaction of a cohort; it ends soon once `isOver` returns true. */
export type CohortMember<Result> = (db: UnitDb, isOver: () => boolean) => Promise<Result>;

export interface CohortsOptions {
  database: Database;
  /** For runs that go alone, beside what else runs do by themselves. */
  alone: Slots;
  /** So many runs were one transaction. */
  onCohort(runs: number): void;
}

interface Waiting {
  orgId: string;
  member: CohortMember<unknown>;
}

type Settled = PromiseSettledResult<unknown>;

const runsMax = 32;

/** Of one organization, while others have runs too: all of a cohort wait for its whole length. */
const partyMax = runsMax / 4;

/**
 * No step is begun after this: runs that wait for their cohort wait no longer, and for the steps at hand. It is shorter while
 * several organizations have runs, since what one of them has done holds up the others.
 */
const cohortMsMax = 25;
const cohortOfSeveralMsMax = 10;

/** One of an organization with much to do, and one for the others meanwhile. */
const cohortsMax = 2;

/**
 * Runs that do record steps at the same time are one transaction: their statements and their commit are shared. An
 * organization is in one cohort at a time, so that two cohorts never want the same record; all that wait when it ends are the next one,
 * organizations in turns and one with at most a quarter of it while others have runs too. A run that is alone waits for
 * nobody. No more wait than there are places for.
 */
export class Cohorts {
  readonly #options: CohortsOptions;
  readonly #batcher: Batcher<Waiting, Settled>;

  constructor(options: CohortsOptions) {
    this.#options = options;
    this.#batcher = new Batcher({
      run: (waiting) => this.#run(options.database, waiting),
      isItemFault: () => false,
      partyOf: ({ orgId }) => [orgId],
      itemsMax: runsMax,
      partyMax,
      flushers: cohortsMax,
      areApart: true,
      waitingMax: Infinity,
    });
  }

  /**
   * Resolves once what the member did is committed. Rejects with what the member threw: alone, where it had written nothing.
   * Else with GroupFailure where the transaction failed, or with RolledBackError where another member did: a member is
   * never called twice. `isAlone` gives it a transaction of its own, on its organization's share of the connections.
   */
  async run<Result>(orgId: string, member: CohortMember<Result>, isAlone: boolean): Promise<Result> {
    const one = { orgId, member };
    const settled = await (isAlone ? this.#runAlone(one) : this.#batcher.add(one));
    if (settled.status === 'rejected') throw settled.reason;
    return settled.value as Result;
  }

  async #runAlone(one: Waiting): Promise<Settled> {
    const { database, alone } = this.#options;
    const party = [one.orgId];
    await alone.acquire(party);
    try {
      const [settled] = await this.#run(database.of(one.orgId), [one]);
      return settled!;
    } finally {
      alone.release(party);
    }
  }

  async #run(database: Pick<Database, 'transaction'>, waiting: readonly Waiting[]): Promise<Settled[]> {
    const thrown = new Map<Waiting, unknown>();
    const members = this.#membersOf(waiting, thrown);
    this.#options.onCohort(waiting.length);
    try {
      return await database.transaction((db) => runTogether(db, members));
    } catch (error) {
      const ofOthers = isOwn(error) ? new RolledBackError() : new GroupFailure(error);
      return waiting.map((one) => ({
        status: 'rejected',
        reason: isOwn(thrown.get(one)) ? thrown.get(one) : ofOthers,
      }));
    }
  }

  #membersOf(waiting: readonly Waiting[], thrown: Map<Waiting, unknown>): UnitWork<unknown>[] {
    const startedAt = performance.now();
    const isLate = () =>
      performance.now() - startedAt > (this.#batcher.isOfSeveral ? cohortOfSeveralMsMax : cohortMsMax);
    const isOver = () => isLate() && (waiting.length > 1 || this.#batcher.waiting > 0);
    return waiting.map((one) => async (db) => {
      try {
        return await one.member(db, isOver);
      } catch (error) {
        thrown.set(one, error);
        throw error;
      }
    });
  }
}

/** What a member alone is to blame for after it has written; anything else it saw may have been rolled back. */
function isOwn(error: unknown): boolean {
  return error instanceof LeaseLostError || error instanceof StaleJournalError || error instanceof LateFailure;
}
