import type { Database, Db } from '@relata/db';
import { QueueFullError, RestingTurn, Slots } from '@relata/runtime';
import { Landmarks } from './landmarks.ts';
import { listRecords, type Listed, mayScan, type Page, pageBytesMax, type PageQuery } from './record-page.sql.ts';
import type { Row } from '../table/record-column.ts';
import type { RecordTable } from '../table/record-table.ts';

/** Lists of organizations whose pages were large; beyond so many the set is emptied and built again. */
const largeListsMax = 10_000;

/** A page with so much text holds the event loop for milliseconds, and everybody's requests with it. */
const heavyLength = 131_072;
/** Of which an organization has one: it reads such a page, and the process does other things for as long as that took. */
const heavySlots = 3;
/** How much longer it does other things while another organization asks for something: what was read is garbage to collect, too. */
const heavyRestTimes = 3;
const heavyWait = { ms: 5_000, error: () => new QueueFullError('Too many large pages at once.') };

/** Lists records, from landmarks where clients page deep. */
export class RecordLists {
  readonly #database: Database;
  readonly #landmarks: Landmarks;
  /** Bounding a page costs more than small ones are to pay: it begins with the first one that is too large. */
  readonly #large = new Set<string>();
  /** Lists of which the last page was heavy, or was not though their rows may be large. */
  readonly #heavy = new Map<string, boolean>();
  readonly #heavySlots = new Slots(heavySlots);

  /** `onError` is given what kept landmarks from being set; pages are read without them then. */
  constructor(database: Database, onError: (error: unknown) => void) {
    this.#database = database;
    this.#landmarks = new Landmarks(database, onError);
  }

  /** One that passes over or counts many rows is cancelled, in the database too, when the signal is aborted. */
  async list<Rec>(orgId: string, table: RecordTable<Rec>, query: PageQuery, signal?: AbortSignal): Promise<Page<Rec>> {
    const { offset } = query;
    const isFiltered = mayScan(table, query);
    const ready = isFiltered ? undefined : this.#landmarks.ready(orgId, table, offset);
    if (ready) await ready;
    signal?.throwIfAborted();
    const isLong = isFiltered || this.#landmarks.mayBeLong(orgId, table, offset);
    // To be able to cancel a short one would cost more than it saves.
    const db = isLong ? this.#database.scanOf(orgId, signal) : this.#database.of(orgId);
    const { page, passedOver } = await this.#readInTurn(db, orgId, table, query, signal);
    if (!isFiltered) this.#landmarks.note(orgId, table, { offset, passedOver });
    return page;
  }

  async #readInTurn<Rec>(db: Db, orgId: string, table: RecordTable<Rec>, query: PageQuery, signal?: AbortSignal) {
    if (!this.#isHeavy(orgId, table)) return this.#read(db, orgId, table, query);
    const restTimes = this.#database.isOfSeveral ? heavyRestTimes : 1;
    const turn = new RestingTurn(this.#heavySlots, [orgId], { signal, longestWait: heavyWait, restTimes });
    await turn.take();
    try {
      return await this.#read(db, orgId, table, query);
    } finally {
      // What was read is written before the loop goes on, which is as long again.
      setImmediate(() => turn[Symbol.dispose]());
    }
  }

  #isHeavy(orgId: string, table: RecordTable<unknown>): boolean {
    return this.#heavy.get(listKey(orgId, table)) ?? table.hasLargeRows ?? false;
  }

  /** Returns the length of its texts, and notes whether the next page of this list is to wait for its turn. */
  #weigh(orgId: string, table: RecordTable<unknown>, { page }: Listed<unknown>): number {
    const length = textLength(page.data as Row[]);
    const isHeavy = length >= heavyLength;
    if (this.#isHeavy(orgId, table) !== isHeavy) {
      if (this.#heavy.size >= largeListsMax) this.#heavy.clear();
      this.#heavy.set(listKey(orgId, table), isHeavy);
    }
    return length;
  }

  async #read<Rec>(db: Db, orgId: string, table: RecordTable<Rec>, query: PageQuery): Promise<Listed<Rec>> {
    const key = listKey(orgId, table);
    const isLarge = table.hasLargeRows || this.#large.has(key);
    const listed = await listRecords(db, orgId, table, query, isLarge);
    if (this.#weigh(orgId, table, listed) <= pageBytesMax || isLarge) return listed;
    if (this.#large.size >= largeListsMax) this.#large.clear();
    this.#large.add(key);
    return listRecords(db, orgId, table, query, true);
  }
}

const listKey = (orgId: string, { name }: RecordTable<unknown>) => `${orgId} ${name}`;

/** Of all their texts. */
function textLength(rows: readonly Row[]): number {
  let length = 0;
  for (const row of rows) {
    for (const name in row) length += lengthOf(row[name]);
  }
  return length;
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return Array.isArray(value) ? value.reduce<number>((sum, each) => sum + lengthOf(each), 0) : 0;
}
