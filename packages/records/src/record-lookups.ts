import { type Database, isDatabaseOutage, isUnavailable } from '@relata/db';
import { abortWhenAllLeft, Batcher, type WaitingCaller, DisconnectedError } from '@relata/runtime';
import { findRecords, type Lookup } from './record.sql.ts';
import { memoizePerTable, type RecordTable } from './table/record-table.ts';

interface ReaderLookup extends Lookup {
  caller: WaitingCaller;
}

/**
 * Looks records up by their ids. A lone look-up is sent immediately with its own statement; look-ups that arrive while
 * two statements are in flight share the next one, in which organizations take turns. Each statement starts after its
 * look-ups have arrived, so a caller sees its own earlier writes.
 */
export class RecordLookups {
  readonly #batcherOf: (table: RecordTable<unknown>) => Batcher<ReaderLookup, unknown>;

  constructor(db: Database) {
    this.#batcherOf = memoizePerTable((table) => lookupBatcher(db, table));
  }

  /**
   * Returns undefined if the organization has no record with this id. If the caller leaves, a statement that nobody
   * else waits for is cancelled.
   */
  async find<Rec>(orgId: string, table: RecordTable<Rec>, id: string, caller: WaitingCaller): Promise<Rec | undefined> {
    return (await this.#batcherOf(table).add({ orgId, id, caller }, caller)) as Rec | undefined;
  }
}

function lookupBatcher(db: Database, table: RecordTable<unknown>): Batcher<ReaderLookup, unknown> {
  return new Batcher({
    run: (lookups) => {
      const orgIds = lookups.map(({ orgId }) => orgId);
      const signal = abortWhenAllLeft(lookups.map(({ caller }) => caller));
      return findRecords(db.ofAll(orgIds, signal), table, lookups);
    },
    isItemFault: (error) => !isUnavailable(error) && !(error instanceof DisconnectedError),
    isOutage: isDatabaseOutage,
    partyOf: ({ orgId }) => [orgId],
    // The records of a statement are all serialized in one turn of the event loop, so only a few large records share a
    // statement.
    itemsMax: table.hasLargeRows ? 4 : 64,
    partyMax: 16,
    flushers: 2,
    waitingMax: 5_000,
  });
}
