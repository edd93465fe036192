import { allLeft, Batcher, type BatcherOptions, type Reader } from '@relata/runtime';
import type { Database } from '../connections/database.ts';
import { isContended, isUnavailable } from '../unavailable.ts';
import { LockedError } from './shared-statement.ts';
import { runTogether } from './shared-transaction.ts';
import type { UnitDb } from './unit-db.ts';

/** A transaction that others may share; it may be called again, after what it did was rolled back. */
type Work<Result> = (db: UnitDb) => Promise<Result>;

interface Waiting {
  orgId: string;
  member: Work<unknown>;
  weight: number;
}

type Options = Pick<BatcherOptions<Waiting, unknown>, 'itemsMax' | 'waitingMax'> & {
  /** Characters, of what is written by all members of a transaction, and of what may wait. */
  weightMax: number;
  weightWaitingMax: number;
};

/**
 * Transactions that wait anyway are one: their statements and their commit are shared, and organizations take turns. One
 * that finds something locked by another transaction goes on alone, and nobody waits with it.
 */
export class SharedTransactions {
  readonly #database: Database;
  /** Transactions that wait for a key, by it: one of this process waits in the database, all others for that one. */
  readonly #alone = new Map<string, Promise<unknown>>();
  readonly #batcher: Batcher<Waiting, PromiseSettledResult<unknown>>;

  constructor(database: Database, { itemsMax, waitingMax, weightMax, weightWaitingMax }: Options) {
    this.#database = database;
    this.#batcher = new Batcher({
      run: (waiting) =>
        database.transaction((db) =>
          runTogether(
            db,
            waiting.map(({ member }) => member),
          ),
        ),
      isItemFault: (error) => !isUnavailable(error) || isContended(error),
      partyOf: ({ orgId }) => [orgId],
      itemsMax,
      // One is answered while the other is in PostgreSQL.
      flushers: 2,
      waitingMax,
      partyMax: Math.ceil(itemsMax / 4),
      weight: { of: ({ weight }) => weight, batchMax: weightMax, waitingMax: weightWaitingMax },
    });
  }

  /** Resolves once the transaction is committed. `weight`: the characters that it writes. */
  async run<Result>(orgId: string, work: Work<Result>, weight = 0): Promise<Result> {
    for (;;) {
      const settled = await this.#batcher.add({ orgId, member: work, weight });
      if (settled.status === 'fulfilled') return settled.value as Result;
      if (!(settled.reason instanceof LockedError)) throw settled.reason;
      const { key } = settled.reason;
      const before = key !== undefined && this.#alone.get(key);
      if (!before) return this.#runAlone(key, transactionOf(this.#database, orgId, work));
      await before.catch(() => undefined);
    }
  }

  async #runAlone<Result>(key: string | undefined, running: Promise<Result>): Promise<Result> {
    if (key === undefined) return running;
    this.#alone.set(key, running);
    try {
      return await running;
    } finally {
      this.#alone.delete(key);
    }
  }
}

const triesMax = 3;

interface Alone {
  /** True if it writes hundreds of records. */
  isBulk?: boolean;
  /** Once they have left, the transaction is cancelled and rolled back. */
  sender?: Reader;
}

/** Runs a transaction that is shared with none, and waits for others; again where they waited for each other. */
export async function transactionOf<Result>(
  database: Database,
  orgId: string,
  work: Work<Result>,
  { isBulk = false, sender }: Alone = {},
): Promise<Result> {
  const signal = sender && allLeft([sender]);
  const db = isBulk ? database.bulkOf(orgId, signal) : database.of(orgId, signal);
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction(work);
    } catch (error) {
      if (!isContended(error) || tries === triesMax) throw error;
    }
  }
}
