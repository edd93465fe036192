import { type Database, SharedTransactions, type UnitDb } from '@relata/db';
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
      itemsMax: 100,
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
    within?: UnitDb,
  ): Promise<Upserted<Rec>> {
    const work = (db: UnitDb) => upsertRecord(db, actor, table, given);
    return within ? work(within) : this.#shared.run(actor.orgId, work, charactersOf(given));
  }
}

/** About: what is long is text. */
function charactersOf({ match, set }: Upsert): number {
  let characters = 0;
  for (const [name, value] of match) characters += name.length + value.length;
  for (const name in set) characters += name.length + lengthOf(set[name]);
  return characters;
}

const shortLength = 8;

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return Array.isArray(value) ? value.reduce<number>((sum, item) => sum + lengthOf(item), 0) : shortLength;
}
