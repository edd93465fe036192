import { type Database, type Db, SharedTransactions } from '@relata/db';
import type { Actor } from '@relata/events';
import type { RecordTable } from '../table/record-table.ts';
import { type Upsert, type Upserted, upsertRecord } from './record-upsert.sql.ts';

/**
 * Creates or changes records; those that are upserted at the same time share their statements and one commit, of which
 * organizations take turns. Upserts that share a value which records are looked up by follow each other.
 */
export class RecordUpserts {
  readonly #shared: SharedTransactions;

  constructor(database: Database) {
    this.#shared = new SharedTransactions(database, {
      itemsMax: 50,
      waitingMax: 5_000,
      weightMax: 1_000_000,
      weightWaitingMax: 64_000_000,
    });
  }

  /** What was done, and the record as it is now; within the caller's transaction where one is given. */
  upsert<Rec extends object>(
    actor: Actor,
    table: RecordTable<Rec>,
    given: Upsert,
    within?: Db,
  ): Promise<Upserted<Rec>> {
    const work = (db: Db) => upsertRecord(db, actor, table, given);
    return within ? work(within) : this.#shared.run(actor.orgId, work, JSON.stringify(given).length);
  }
}
