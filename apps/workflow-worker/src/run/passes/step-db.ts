import { LockedError, oneByOne, type SharedStatement, type Statement, type UnitDb } from '@relata/db';

/** The transaction as seen by one step of a group. Records if the step has written, and if a statement has failed. */
export class StepDb implements UnitDb {
  readonly waits: boolean;
  readonly #db: UnitDb;
  hasWritten = false;
  /**
   * True once a statement has failed, perhaps because of another run. The transaction is then rolled back in any case.
   */
  hasFailed = false;

  constructor(db: UnitDb) {
    this.#db = db;
    this.waits = db.waits;
  }

  query<Row>(prepared: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    return this.call(oneByOne(prepared), values);
  }

  async call<Call, Result>(statement: SharedStatement<Call, Result>, call: Call): Promise<Result> {
    try {
      const result = await this.#db.call(statement, call);
      this.hasWritten ||= statement.wrote?.(result) ?? false;
      return result;
    } catch (error) {
      this.hasFailed ||= !(error instanceof LockedError);
      throw error;
    }
  }

  lock(keys: readonly string[]): Promise<void> {
    return this.#db.lock(keys);
  }
}
