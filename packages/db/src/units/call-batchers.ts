import { Batcher } from '@relata/runtime';
import type { Database } from '../connections/database.ts';
import type { Db } from '../statement.ts';
import { isDatabaseOutage } from '../unavailable.ts';
import { locked, LockedError, type SharedStatement } from './shared-statement.ts';
import type { UnitDb } from './unit-db.ts';

/**
 * Queue for calls of one statement outside of transactions. Waiting calls are sent together; organizations take turns.
 */
type CallBatcher<Call, Result> = Batcher<Call, Result | typeof locked>;

/** The batchers of one executor. A batcher is created at the first call of its statement. */
export class CallBatchers {
  readonly #database: Database;
  readonly #batchers = new Map<unknown, CallBatcher<unknown, unknown>>();

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Returns the database for reads and single calls of an organization outside of transactions. It cannot lock keys.
   */
  of(orgId: string): UnitDb {
    return {
      waits: false,
      query: (prepared, values) => this.#database.of(orgId).query(prepared, values),
      call: (statement, call) => this.#call(statement, call),
      lock: () => Promise.reject(new Error('Keys can be locked only in a transaction.')),
    };
  }

  async #call<Call, Result>(statement: SharedStatement<Call, Result>, call: Call): Promise<Result> {
    const open = () => openBatcher(this.#database, statement) as CallBatcher<unknown, unknown>;
    const result = await this.#batchers.getOrInsertComputed(statement, open).add(call);
    if (result === locked) throw new LockedError();
    return result as Result;
  }
}

/**
 * Creates the batcher of a statement. A batch that fails is sent again in halves, so that a faulty call fails alone.
 */
function openBatcher<Call, Result>(db: Db, statement: SharedStatement<Call, Result>): CallBatcher<Call, Result> {
  const { batching } = statement;
  if (!batching) throw new Error('This statement has no `batching`, so it can be called only in a transaction.');
  return new Batcher({
    run: (calls) => statement.run(db, calls, leaving),
    isItemFault: (error) => !isDatabaseOutage(error),
    isOutage: isDatabaseOutage,
    ...(statement.keyOf && { keyOf: (call: Call) => statement.keyOf!(call) }),
    ...batching,
  });
}

/** Mode in which a call does not wait for rows that other transactions have locked. */
const leaving = { waits: false };
