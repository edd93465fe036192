import { type Database, type Db, isUnavailable, LoneUnitDb, type UnitDb } from '@relata/db';
import type { Actor } from '@relata/events';
import { Batcher } from '@relata/runtime';
import { insertRows, type NewRow, newRow } from '../record.sql.ts';
import type { Row } from '../table/record-column.ts';
import { completeNew } from './record-rules.ts';
import type { RecordTable } from '../table/record-table.ts';
import { createRecordIn } from './record-write.sql.ts';
import { referencesChange, refuseMissing } from './reference.sql.ts';

type InsertBatcher = Batcher<NewRow, unknown>;

/** The record that is referred to may be created between the refusal and the check; then the insert is retried once. */
const triesMax = 2;

/**
 * Creates records; those that are created at the same time share one statement and one commit, of which organizations
 * take turns. A record that refers to something missing is left out of it, and costs the others nothing.
 */
export class RecordInserts {
  readonly #db: Database;
  readonly #batchers = new Map<string, InsertBatcher>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** The record as stored, within the caller's transaction where one is given; a reference that the organization does not have is `invalid_reference`. */
  async create<Rec>(actor: Actor, table: RecordTable<Rec>, fields: Row, within?: UnitDb): Promise<Rec> {
    if (within) return createRecordIn(within, actor, table, fields, table.writable);
    const { orgId } = actor;
    const given = await completeNew(
      new LoneUnitDb((prepared, values) => this.#db.of(orgId).query(prepared, values)),
      orgId,
      table,
      fields,
    );
    const row = newRow(actor, table, given);
    for (let tries = 0; tries < triesMax; tries++) {
      const created = await this.#batcherOf(table).add(row);
      if (created) return created as Rec;
      await refuseMissing(this.#db.of(orgId), orgId, table, given);
    }
    throw referencesChange();
  }

  #batcherOf(table: RecordTable<unknown>): InsertBatcher {
    let batcher = this.#batchers.get(table.name);
    if (!batcher) this.#batchers.set(table.name, (batcher = insertBatcher(this.#db, table)));
    return batcher;
  }
}

function insertBatcher(db: Db, table: RecordTable<unknown>): InsertBatcher {
  return new Batcher({
    run: (rows) => insertRows(db, table, rows),
    isItemFault: (error) => !isUnavailable(error),
    partyOf: ({ orgId }) => [orgId],
    itemsMax: 100,
    partyMax: 25,
    // One after the other, so that rows come into sight in the order of their ids and pages stay as they are.
    flushers: 1,
    waitingMax: 5_000,
    weight: { of: ({ text }) => text.length, batchMax: 1_000_000, waitingMax: 64_000_000 },
  });
}
