import { setTimeout as pause } from 'node:timers/promises';
import { allLeft, Batcher } from '@relata/runtime';
import type { Database } from '../connections/database.ts';
import type { OrganizationDb } from '../connections/organization-database.ts';
import type { Db, Statement } from '../statement.ts';
import { isContended, isUnavailable } from '../unavailable.ts';
import { type Lane, openLane } from './lane.ts';
import { locked, LockedError, type SharedStatement } from './shared-statement.ts';
import { runTogether } from './shared-transaction.ts';
import type { Alone, Unit, Writes } from './unit.ts';
import { LoneUnitDb, type UnitDb } from './unit-db.ts';

/** Bounds of what is done together, and of what may wait. */
export interface Policy {
  /** Units of a transaction. */
  unitsMax: number;
  /** Units of one organization in a transaction while other organizations have units too. */
  ofOneMax: number;
  /** Shared transactions at once. */
  atOnce: number;
  waitingMax: number;
  /** Characters that a transaction writes, and that all units that wait write. */
  weightMax: number;
  weightWaitingMax: number;
  /** Tries of a unit alone that other transactions were in conflict with. */
  triesMax: number;
}

/** For callers who wait for their answer. */
const callers: Policy = {
  unitsMax: 100,
  ofOneMax: 25,
  // One is answered while the other is in PostgreSQL.
  atOnce: 2,
  waitingMax: 5_000,
  weightMax: 1_000_000,
  weightWaitingMax: 64_000_000,
  triesMax: 3,
};

const conflictPauseMs = 10;
const conflictPauseMsMax = 500;

/**
 * Runs units of work. Plain ones go through the lanes of their statements. Others that wait anyway share a transaction,
 * in which organizations take turns; one that finds something locked goes on alone, and nobody waits with it.
 */
export class Executor implements Writes {
  readonly isOneTransaction = false;
  readonly #database: Database;
  readonly #policy: Policy;
  readonly #lanes = new Map<unknown, Lane<unknown, unknown>>();
  readonly #batcher: Batcher<Unit<unknown>, PromiseSettledResult<unknown>>;
  /** Units that run alone because a key is locked, by the key: others of this process wait for them, not in the database. */
  readonly #leading = new Map<string, Promise<unknown>>();

  constructor(database: Database, policy: Policy = callers) {
    this.#database = database;
    this.#policy = policy;
    this.#batcher = new Batcher({
      run: (units) => database.transaction((db) => runTogether(db, units.map(workOf))),
      isItemFault: (error) => isContended(error) || !isUnavailable(error),
      partyOf: ({ orgId }) => [orgId],
      itemsMax: policy.unitsMax,
      partyMax: policy.ofOneMax,
      flushers: policy.atOnce,
      waitingMax: policy.waitingMax,
      weight: { of: ({ weight = 0 }) => weight, batchMax: policy.weightMax, waitingMax: policy.weightWaitingMax },
    });
  }

  async run<Result>(unit: Unit<Result>): Promise<Result> {
    for (;;) {
      try {
        return await (unit.isPlain ? unit.run(this.plain(unit.orgId)) : this.#share(unit));
      } catch (error) {
        // It has been rolled back, and others would only wait with it.
        if (isContended(error)) return this.alone(unit);
        if (!(error instanceof LockedError)) throw error;
        const leading = error.key === undefined ? undefined : this.#leading.get(error.key);
        if (!leading) return this.#lead(error.key, this.alone(unit));
        await leading.catch(() => undefined);
      }
    }
  }

  /** Runs a unit on its organization's share of the connections; again if other transactions were in conflict with it. */
  async alone<Result>(unit: Unit<Result>, { isBulk = false, rollsBack = false, sender }: Alone = {}): Promise<Result> {
    const signal = sender && allLeft([sender]);
    const db = isBulk ? this.#database.bulkOf(unit.orgId, signal) : this.#database.of(unit.orgId, signal);
    for (let tries = 1, waitMs = conflictPauseMs; ; tries++, waitMs = Math.min(waitMs * 2, conflictPauseMsMax)) {
      try {
        return await (rollsBack ? rolledBack(db, unit) : committed(db, unit));
      } catch (error) {
        if (!isContended(error) || tries >= this.#policy.triesMax) throw error;
        await pause(waitMs * (0.5 + Math.random()));
      }
    }
  }

  /** Returns the database for reads and single calls of an organization outside of transactions: it locks no keys. */
  plain(orgId: string): UnitDb {
    return new PlainUnitDb(this.#database.of(orgId), this.#laneOf);
  }

  readonly #laneOf: LaneOf = <Call, Result>(statement: SharedStatement<Call, Result>) => {
    let lane = this.#lanes.get(statement) as Lane<Call, Result> | undefined;
    if (!lane) {
      lane = openLane(this.#database, statement);
      this.#lanes.set(statement, lane as Lane<unknown, unknown>);
    }
    return lane;
  };

  async #share<Result>(unit: Unit<Result>): Promise<Result> {
    const settled = await this.#batcher.add(unit);
    if (settled.status === 'rejected') throw settled.reason;
    return settled.value as Result;
  }

  async #lead<Result>(key: string | undefined, running: Promise<Result>): Promise<Result> {
    if (key === undefined) return running;
    this.#leading.set(key, running);
    try {
      return await running;
    } finally {
      this.#leading.delete(key);
    }
  }
}

const workOf = (unit: Unit<unknown>) => (db: UnitDb) => unit.run(db);

function committed<Result>(db: OrganizationDb, unit: Unit<Result>): Promise<Result> {
  if (unit.isPlain) return unit.run(new LoneUnitDb((prepared, values) => db.query(prepared, values)));
  return db.transaction((tx) => unit.run(tx));
}

async function rolledBack<Result>(db: OrganizationDb, unit: Unit<Result>): Promise<Result> {
  let result: Result;
  try {
    await db.transaction(async (tx) => {
      result = await unit.run(tx);
      throw new Undone('The work was only tried.');
    });
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
  }
  return result!;
}

/** Rolls a transaction back that did all it would do. */
class Undone extends Error {}

type LaneOf = <Call, Result>(statement: SharedStatement<Call, Result>) => Lane<Call, Result>;

class PlainUnitDb implements UnitDb {
  readonly #db: Db;
  readonly #laneOf: LaneOf;

  constructor(db: Db, laneOf: LaneOf) {
    this.#db = db;
    this.#laneOf = laneOf;
  }

  query<Row>(prepared: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    return this.#db.query(prepared, values);
  }

  async call<Call, Result>(statement: SharedStatement<Call, Result>, call: Call): Promise<Result> {
    const result = await this.#laneOf(statement).add(call);
    if (result === locked) throw new LockedError();
    return result as Result;
  }

  lock(): Promise<void> {
    return Promise.reject(new Error('Keys are locked within a transaction.'));
  }
}
