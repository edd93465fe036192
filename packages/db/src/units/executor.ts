import { abortWhenAllLeft, backoff, Batcher, type BatcherOptions, pause } from '@relata/runtime';
import type { Database } from '../connections/database.ts';
import type { OrganizationDb } from '../connections/organization-database.ts';
import { isContended, isDatabaseOutage } from '../unavailable.ts';
import { KeyWait, type LeadingUnits } from './key-wait.ts';
import { CallBatchers } from './call-batchers.ts';
import { type Commit, type Settled, settleUnits } from './settle-units.ts';
import { LockedError } from './shared-statement.ts';
import { runTogether } from './shared-transaction.ts';
import { type OwnTransactionOptions, unlimitedAttempt, UnfinishedError, type Unit, type UnitRunner } from './unit.ts';
import { StandaloneUnitDb, type UnitDb } from './unit-db.ts';

/** Limits for shared transactions and waiting units, and the handling of units whose records are locked. */
export interface Policy extends Pick<
  BatcherOptions<Unit<unknown>, Settled>,
  'itemsMax' | 'partyMax' | 'flushers' | 'areApart' | 'waitingMax'
> {
  /** Maximum number of characters that one transaction writes, and that all waiting units together will write. */
  weight: { batchMax: number; waitingMax: number };
  /**
   * Time in ms after which the units of a transaction should begin no more work, if other units share the transaction
   * or wait for the next one. `ofSeveral` applies while several organizations are active. Unlimited by default.
   */
  lastsMs?: { ofOne: number; ofSeveral: number };
  /**
   * `wait`: one unit per key waits in the database, in its own transaction. `retry`: the unit is retried, and holds no
   * connection between attempts. A unit that is too large for a shared transaction always waits in its own transaction.
   */
  whileLocked: 'wait' | 'retry';
  /** Maximum number of tries of a unit that runs alone and conflicts with other transactions. */
  triesMax: number;
}

/** Default policy, for callers that wait for an answer. */
const callers: Policy = {
  itemsMax: 100,
  partyMax: 25,
  // While this process handles the results of one transaction, PostgreSQL runs the other.
  flushers: 2,
  waitingMax: 5_000,
  weight: { batchMax: 1_000_000, waitingMax: 64_000_000 },
  whileLocked: 'wait',
  triesMax: 3,
};

export interface ExecutorOptions {
  policy?: Policy;
  /** Returns the database for units of an organization that run alone. The default is `Database.of`. */
  ownShareOf?(orgId: string): OrganizationDb;
  /**
   * Called with the number of units when a transaction begins. If the policy is `wait`, only shared transactions count.
   */
  onTransaction?(units: number): void;
}

const conflictPauseMs = 10;
const conflictPauseMsMax = 500;
const lockedPauseMs = 5;
const lockedPauseMsMax = 100;

/**
 * Runs units of work. A unit that is a single call is sent together with other waiting calls of its statement
 * (`CallBatchers`). Other waiting units share a transaction, for which organizations take turns. A unit that needs a
 * lock of another transaction leaves the shared transaction, so that the other units do not wait for that lock.
 */
export class Executor implements UnitRunner {
  readonly isOneTransaction = false;
  readonly #database: Database;
  readonly #policy: Policy;
  readonly #options: ExecutorOptions;
  readonly #batchers: CallBatchers;
  readonly #batcher: Batcher<Unit<unknown>, Settled>;
  readonly #leading: LeadingUnits = new Map();

  constructor(database: Database, options: ExecutorOptions = {}) {
    const { policy = callers } = options;
    this.#database = database;
    this.#batchers = new CallBatchers(database);
    this.#policy = policy;
    this.#options = options;
    this.#batcher = new Batcher({
      ...policy,
      run: (units) => settleUnits(units, this.#commitsOn(database)),
      isItemFault: () => false,
      isOutage: isDatabaseOutage,
      partyOf: ({ orgId }) => [orgId],
      weight: { ...policy.weight, of: ({ weight = 0 }) => weight },
    });
  }

  /**
   * Resolves once the unit is committed. Throws the error of the unit, or of its transaction. A unit that is too large
   * for a shared transaction runs in its own, which is cancelled once `sender` has left.
   */
  run<Result>(unit: Unit<Result>, { sender }: Pick<OwnTransactionOptions, 'sender'> = {}): Promise<Result> {
    const attempt = () =>
      unit.isPlain ? unit.run(this.plain(unit.orgId), unlimitedAttempt) : this.#batcher.add(unit).then(valueOf<Result>);
    return this.#persist(unit, attempt, sender && { isBulk: true, sender });
  }

  /**
   * Runs a unit in its own transaction, on a connection of its organization's share. Repeats the unit after a conflict
   * with other transactions, or after committing the part of its work that must come first.
   */
  async runAlone<Result>(unit: Unit<Result>, how?: OwnTransactionOptions): Promise<Result> {
    const attempt = () => this.#repeat(unit, (isRetry) => this.#inOwn(unit, isRetry, how));
    for (;;) {
      try {
        return await (this.#policy.whileLocked === 'wait' ? attempt() : this.#persist(unit, attempt));
      } catch (error) {
        if (!(error instanceof UnfinishedError)) throw error;
        await error.first((part) => this.runAlone(part, how));
      }
    }
  }

  /**
   * Returns the database for reads and single calls of an organization outside of transactions; it cannot lock keys.
   */
  plain(orgId: string): UnitDb {
    return this.#batchers.of(orgId);
  }

  async #persist<Result>(
    unit: Unit<Result>,
    attempt: () => Promise<Result>,
    inBulk?: OwnTransactionOptions,
  ): Promise<Result> {
    try {
      return await attempt();
    } catch (error) {
      return this.#recover(unit, error, attempt, inBulk);
    }
  }

  /**
   * Runs a unit again if it needed a lock of another transaction, or conflicted with one. Throws any other error. After
   * a conflict the unit runs alone, so that other units do not wait with it.
   */
  async #recover<Result>(
    unit: Unit<Result>,
    error: unknown,
    first: () => Promise<Result>,
    inBulk: OwnTransactionOptions = { isBulk: true },
  ): Promise<Result> {
    const pauses = backoff(lockedPauseMs, lockedPauseMsMax);
    using waiting = new KeyWait(this.#leading);
    let [thrown, attempt] = [error, first];
    for (;;) {
      if (isContended(thrown) && attempt === first) {
        await unit.reset?.();
        attempt = () => this.#repeat(unit, () => this.#inOwn(unit, true));
      } else if (!(thrown instanceof LockedError)) {
        throw thrown;
      } else if (await waiting.mayGoAhead(thrown.key, unit.signal)) {
        if (this.#policy.whileLocked === 'wait' || thrown.isBulk) {
          const how = thrown.isBulk ? inBulk : {};
          return await waiting.lead(() => this.runAlone(unit, how));
        }
        await pause(pauses.next().value, unit.signal ?? never);
      }
      unit.signal?.throwIfAborted();
      try {
        return await attempt();
      } catch (next) {
        thrown = next;
      }
    }
  }

  async #repeat<Result>(unit: Unit<Result>, attempt: (isRetry: boolean) => Promise<Result>): Promise<Result> {
    const pauses = backoff(conflictPauseMs, conflictPauseMsMax);
    for (let tries = 1; ; tries++) {
      try {
        return await attempt(tries > 1);
      } catch (error) {
        if (!isContended(error) || tries >= this.#policy.triesMax) throw error;
        await pause(pauses.next().value, unit.signal ?? never);
        unit.signal?.throwIfAborted();
        await unit.reset?.();
      }
    }
  }

  /**
   * Runs a unit in its own transaction. Depending on the policy and its size, it waits for locks there, or fails if
   * something is locked.
   */
  async #inOwn<Result>(unit: Unit<Result>, isRetry: boolean, how: OwnTransactionOptions = {}): Promise<Result> {
    const { orgId } = unit;
    const signal = how.sender && abortWhenAllLeft([how.sender]);
    const db = how.isBulk
      ? this.#database.bulkOf(orgId, signal)
      : (this.#options.ownShareOf?.(orgId) ?? this.#database.of(orgId, signal));
    if (this.#policy.whileLocked === 'wait') return how.rollsBack ? tryWaiting(db, unit) : runWaiting(db, unit);
    const [settled] = await settleUnits([unit], this.#commitsOn(db, how.isBulk), isRetry);
    return valueOf<Result>(settled!);
  }

  #commitsOn(on: Pick<Database, 'transaction'>, waits = false): Commit {
    return (units, isRetry, atFault) => {
      this.#options.onTransaction?.(units.length);
      const attempt = { isRetry, isOver: this.#endsSoon(units.length) };
      const works = units.map((unit) => (db: UnitDb) => unit.run(db, attempt));
      return on.transaction((db) => runTogether(db, works, { waits, onFault: (at) => atFault.add(units[at]!) }));
    };
  }

  #endsSoon(units: number): () => boolean {
    const { lastsMs } = this.#policy;
    if (!lastsMs) return unlimitedAttempt.isOver;
    const startedAt = performance.now();
    const isLate = () =>
      performance.now() - startedAt > (this.#batcher.isOfSeveral ? lastsMs.ofSeveral : lastsMs.ofOne);
    return () => isLate() && (units > 1 || this.#batcher.waiting > 0);
  }
}

const never = new AbortController().signal;

function valueOf<Result>(settled: Settled): Result {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value as Result;
}

/**
 * Runs a unit in its own transaction, in which it waits for locks of other transactions. A plain unit runs without a
 * transaction.
 */
function runWaiting<Result>(db: OrganizationDb, unit: Unit<Result>): Promise<Result> {
  if (unit.isPlain)
    return unit.run(new StandaloneUnitDb((prepared, values) => db.query(prepared, values)), unlimitedAttempt);
  return db.transaction((tx) => unit.run(tx, unlimitedAttempt));
}

/** Runs a unit like `runWaiting`, and rolls it back once its result is known. */
async function tryWaiting<Result>(db: OrganizationDb, unit: Unit<Result>): Promise<Result> {
  let result: Result;
  try {
    await db.transaction(async (tx) => {
      result = await unit.run(tx, unlimitedAttempt);
      throw new Undone('The unit was rolled back after a dry run.');
    });
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
  }
  return result!;
}

/** Thrown to roll back a transaction that has done all its work. */
class Undone extends Error {}
