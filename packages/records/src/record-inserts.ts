import { type Db, isUnavailable } from '@relata/db';
import { Batcher } from '@relata/runtime';
import { insertRecords, type NewRow, newRow } from './record.sql.ts';
import type { RecordTable, Row } from './record-table.ts';
import { explainForeignKey } from './reference.sql.ts';

/** Creates records; those that are created at the same time share one statement and one commit. */
export class RecordInserts {
  readonly #db: Db;
  readonly #batchers = new Map<string, Batcher<NewRow, unknown>>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** The record as stored; a reference that the organization does not have is `invalid_reference`. */
  async create<Rec>(orgId: string, table: RecordTable<Rec>, given: Row): Promise<Rec> {
    try {
      return (await this.#batcherOf(table).add(newRow(orgId, table, given))) as Rec;
    } catch (error) {
      throw await explainForeignKey(this.#db, orgId, table, given, error);
    }
  }

  #batcherOf(table: RecordTable<unknown>): Batcher<NewRow, unknown> {
    let batcher = this.#batchers.get(table.name);
    if (!batcher) this.#batchers.set(table.name, (batcher = insertBatcher(this.#db, table)));
    return batcher;
  }
}

function insertBatcher(db: Db, table: RecordTable<unknown>): Batcher<NewRow, unknown> {
  return new Batcher({
    run: (rows) => insertRecords(db, table, rows),
    isItemFault: (error) => !isUnavailable(error),
    itemsMax: 100,
    // One after the other, so that rows come into sight in the order of their ids and pages stay as they are.
    flushers: 1,
    waitingMax: 5_000,
    weight: { of: ({ text }) => text.length, batchMax: 1_000_000, waitingMax: 64_000_000 },
  });
}
