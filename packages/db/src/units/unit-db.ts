import type { Db, Statement } from '../statement.ts';
import { keyLocks } from './key-lock.sql.ts';
import type { SharedStatement } from './shared-statement.ts';

export interface UnitDb extends Db {
  /**
   * True if calls wait for locks of other transactions. False in a transaction that units of several callers share,
   * because the other units would wait, too.
   */
  readonly waits: boolean;
  /**
   * Makes a call, if possible together with calls of other units. Throws LockedError if the call needs a lock that it
   * must not wait for. A unit with its own transaction always waits.
   */
  call<Call, Result>(statement: SharedStatement<Call, Result>, call: Call): Promise<Result>;
  /**
   * Locks keys, ignoring case, until the unit ends. Throws LockedError if a key is locked and other units would have to
   * wait, too.
   */
  lock(keys: readonly string[]): Promise<void>;
}

/** The database for a unit with its own transaction: calls are sent immediately, and wait for other transactions. */
export class StandaloneUnitDb implements UnitDb {
  readonly waits = true;
  readonly query: Db['query'];

  constructor(query: <Row>(prepared: Statement<Row>, values: readonly unknown[]) => Promise<Row[]>) {
    this.query = query;
  }

  async call<Call, Result>(statement: SharedStatement<Call, Result>, call: Call): Promise<Result> {
    const [result] = await statement.run(this, [call], { waits: true });
    return result as Result;
  }

  async lock(keys: readonly string[]): Promise<void> {
    await this.call(keyLocks, keys);
  }
}
