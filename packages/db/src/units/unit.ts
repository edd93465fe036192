import type { WaitingCaller } from '@relata/runtime';
import type { UnitDb } from './unit-db.ts';

/**
 * Work that commits as a whole or not at all. It must wait only for the database, since others may share its
 * transaction.
 */
export interface Unit<Result> {
  orgId: string;
  /** Number of characters that the unit writes; 0 by default. */
  weight?: number;
  /**
   * True if the unit is a single writing call. It needs no transaction, and is sent together with other calls of its
   * statement.
   */
  isPlain?: boolean;
  /**
   * Signal that ends the unit's wait for locks, and its retries. The unit itself decides whether its work ends, too.
   */
  signal?: AbortSignal;
  /** Does the work. Called again if its work was rolled back. */
  run(db: UnitDb, attempt: Attempt): Promise<Result>;
  /**
   * Called after a rollback, before `run` is called again. A unit with `reset` is tried once more alone before it
   * fails.
   */
  reset?(): Promise<void>;
}

export interface Attempt {
  /** True if the unit now runs alone, after a transaction with it was rolled back. */
  isRetry: boolean;
  /** Returns true once the unit should begin nothing more, because others wait for its transaction to end. */
  isOver(): boolean;
}

/** An attempt without a time limit. */
export const unlimitedAttempt: Attempt = { isRetry: false, isOver: () => false };

/**
 * Thrown by a unit that is too large for one transaction: `first` does and commits a part of its work, in as many
 * transactions as needed, and then the unit runs again. Only the executor's `runAlone` handles it.
 */
export class UnfinishedError extends Error {
  override name = 'UnfinishedError';
  readonly first: (runAlone: UnitRunner['runAlone']) => Promise<void>;

  constructor(first: UnfinishedError['first']) {
    super('A part of this unit must be committed first.');
    this.first = first;
  }
}

/** Returns a unit that does the same work, but maps its result and errors. */
export function mapUnit<Result, Mapped>(
  unit: Unit<Result>,
  map: (result: Result) => Mapped,
  mapError: (error: unknown) => unknown = (error) => error,
): Unit<Mapped> {
  const run: Unit<Mapped>['run'] = async (db, attempt) => {
    let result: Result;
    try {
      result = await unit.run(db, attempt);
    } catch (error) {
      throw mapError(error);
    }
    return map(result);
  };
  return { ...unit, run };
}

/** Options for a unit with its own transaction. */
export interface OwnTransactionOptions {
  /**
   * True if the unit writes hundreds of records: only a few such units run at once, and they wait longer for their
   * turn.
   */
  isBulk?: boolean;
  /** True to roll everything back once the result is known. */
  rollsBack?: boolean;
  /** The waiting client; once it has left, the transaction is cancelled and rolled back. */
  sender?: WaitingCaller;
}

/** An object that runs units: the executor, or the transaction of another unit. */
export interface UnitRunner {
  /** Resolves once the unit is committed, or has run as part of another unit. */
  run<Result>(unit: Unit<Result>): Promise<Result>;
  /** Runs a unit in its own transaction, so that it may wait for other transactions. */
  runAlone<Result>(unit: Unit<Result>, how?: OwnTransactionOptions): Promise<Result>;
  /** True if all units commit together. */
  readonly isOneTransaction: boolean;
}

/** Returns an object that runs units as part of another unit. */
export function unitRunnerOf(db: UnitDb): UnitRunner {
  return {
    run: (unit) => unit.run(db, unlimitedAttempt),
    runAlone: (unit) => unit.run(db, unlimitedAttempt),
    isOneTransaction: true,
  };
}
