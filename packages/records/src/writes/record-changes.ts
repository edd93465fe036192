import { type Database, type Db, isUnavailable, type UnitDb } from '@relata/db';
import type { Actor } from '@relata/events';
import { Batcher } from '@relata/runtime';
import { AppError } from '@relata/schemas/errors';
import type { Row } from '../table/record-column.ts';
import type { RecordTable } from '../table/record-table.ts';
import { type Change, type Changed, changeRow, changeRows, newChange, recordOf } from './record-change.sql.ts';
import { type Upserted, upsertedOf } from './record-upsert.sql.ts';
import { completePatch, hasRuleFor } from './record-rules.ts';
import { explainForeignKey, referencesChange, refuseMissing } from './reference.sql.ts';

type ChangeBatcher = Batcher<Change, Changed<unknown> | undefined>;

/** A patch of one record, as a caller of the API sends it. */
export interface Patch {
  id: string;
  patch: Row;
  /** Versions of the record, one of which it must be; undefined where any will do. */
  ifMatch?: readonly string[] | undefined;
}

/**
 * Changes records; those that are changed at the same time share one statement and one commit, of which organizations
 * take turns. A record that another transaction has locked is waited for apart, and nobody else waits with it.
 */
export class RecordChanges {
  readonly #db: Database;
  readonly #batchers = new Map<string, ChangeBatcher>();

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * The record as it is now, with a merge patch laid over it, within the caller's transaction where one is given;
   * undefined where the organization has none of this id. A patch under which it stays as it is changes nothing, not
   * even `updated_at`.
   */
  async change<Rec>(actor: Actor, table: RecordTable<Rec>, given: Patch, within?: UnitDb): Promise<Rec | undefined> {
    return (await this.update(actor, table, given, within))?.record;
  }

  /** The same, with what was done. */
  async update<Rec>(
    actor: Actor,
    table: RecordTable<Rec>,
    given: Patch,
    within?: UnitDb,
  ): Promise<Upserted<Rec> | undefined> {
    const { orgId } = actor;
    const { patch } = given;
    const db = within ?? this.#db.of(orgId);
    try {
      const changed = await (within ? changeIn(within, actor, table, given) : this.#change(actor, table, given));
      if (changed?.outcome === 'changed' || changed?.outcome === 'unchanged') return upsertedOf(changed);
      // A body that names nothing is wrong even where the record itself is missing: 400 comes before 404 and 412.
      await refuseMissing(db, orgId, table, patch);
      if (changed?.outcome === 'failed') throw otherVersion(changed.record);
      if (changed) throw referencesChange();
      return undefined;
    } catch (error) {
      // The caller's transaction has failed by then, and answers no more questions.
      throw within ? error : await explainForeignKey(db, orgId, table, patch, error);
    }
  }

  /** A transaction of its own is opened only for a patch in which the rules of the table have a say. */
  async #change<Rec>(actor: Actor, table: RecordTable<Rec>, given: Patch) {
    const db = this.#db.of(actor.orgId);
    if (hasRuleFor(table, given.patch)) return db.transaction((tx) => changeIn(tx, actor, table, given));
    const change = newChange(actor, given, table.writable);
    const changed = (await this.#batcherOf(table).add(change)) as Changed<Rec> | undefined;
    if (changed?.outcome !== 'locked') return changed;
    const [waited] = await changeRows(db, table, [change], { skipsLocked: false });
    return waited;
  }

  #batcherOf(table: RecordTable<unknown>): ChangeBatcher {
    let batcher = this.#batchers.get(table.name);
    if (!batcher) this.#batchers.set(table.name, (batcher = changeBatcher(this.#db, table)));
    return batcher;
  }
}

/** Makes a change within a transaction, and waits for another that has locked the record. */
async function changeIn<Rec>(db: UnitDb, actor: Actor, table: RecordTable<Rec>, given: Patch) {
  const patch = await completePatch(db, actor.orgId, table, given.id, given.patch);
  return changeRow(db, table, newChange(actor, { ...given, patch }, table.writable));
}

function otherVersion(record: unknown): AppError {
  const { updated_at: updatedAt } = record as { updated_at: string };
  return new AppError('precondition_failed', 'The record has changed since; its ETag is another one.', { updatedAt });
}

function changeBatcher(db: Db, table: RecordTable<unknown>): ChangeBatcher {
  return new Batcher({
    run: (changes) => changeRows(db, table, changes, { skipsLocked: true }),
    isItemFault: (error) => !isUnavailable(error),
    partyOf: ({ orgId }) => [orgId],
    keyOf: recordOf,
    itemsMax: 100,
    partyMax: 25,
    flushers: 1,
    waitingMax: 5_000,
    weight: { of: ({ patch }) => patch.length, batchMax: 1_000_000, waitingMax: 64_000_000 },
  });
}
