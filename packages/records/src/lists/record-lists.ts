import type { Database, Db } from '@relata/db';
import { QueueFullError, Slots } from '@relata/runtime';
import { landmarkSpacing, setNextLandmark } from './landmark.sql.ts';
import { listRecords, type Listed, mayScan, type Page, pageBytesMax, type PageQuery } from './record-page.sql.ts';
import type { Row } from '../table/record-column.ts';
import type { RecordTable } from '../table/record-table.ts';

/** So many landmarks are set for one deep page at most; the next one goes on from there. */
const landmarksAtOnceMax = 1_000;

/** Lists of organizations whose pages were large; beyond so many the set is emptied and built again. */
const largeListsMax = 10_000;

/** A page with so much text holds the event loop for milliseconds, and everybody's requests with it. */
const heavyLength = 131_072;
/** Lists with such pages that are read at once: one of an organization, and one of another beside it. */
const heavyMax = 3;
const heavyWait = { ms: 5_000, error: () => new QueueFullError('Too many large pages at once.') };

/** Lists records, and sets landmarks where clients page deep. */
export class RecordLists {
  readonly #database: Database;
  readonly #onError: (error: unknown) => void;
  readonly #beingSet = new Map<string, Promise<void>>();
  /** Bounding a page costs more than small ones are to pay: it begins with the first one that is too large. */
  readonly #large = new Set<string>();
  /** Lists whose last page was heavy. */
  readonly #heavy = new Set<string>();
  readonly #heavySlots = new Slots(heavyMax);

  constructor(database: Database, onError: (error: unknown) => void) {
    this.#database = database;
    this.#onError = onError;
  }

  /** A list with a filter is cancelled, in the database too, when the signal is aborted. */
  async list<Rec>(orgId: string, table: RecordTable<Rec>, query: PageQuery, signal?: AbortSignal): Promise<Page<Rec>> {
    const database = this.#database;
    // A list without a filter is short: to be able to cancel it would cost more than it saves.
    const db = mayScan(table, query) ? database.scanOf(orgId, signal) : database.of(orgId);
    const { page, passedOver } = await this.#readInTurn(db, orgId, table, query, signal);
    if (passedOver >= 2 * landmarkSpacing) void this.setLandmarks(orgId, table, query.offset);
    return page;
  }

  async #readInTurn<Rec>(db: Db, orgId: string, table: RecordTable<Rec>, query: PageQuery, signal?: AbortSignal) {
    const key = listKey(orgId, table);
    const slots = this.#heavy.has(key) ? this.#heavySlots : undefined;
    await slots?.acquire([orgId], signal, heavyWait);
    try {
      return await this.#read(db, orgId, table, query);
    } finally {
      slots?.release([orgId]);
    }
  }

  /** Returns the length of its texts, and notes whether the next page of this list is to wait for its turn. */
  #weigh(key: string, { page }: Listed<unknown>): number {
    const length = textLength(page.data as Row[]);
    if (length < heavyLength) this.#heavy.delete(key);
    else if (!this.#heavy.has(key)) addBounded(this.#heavy, key);
    return length;
  }

  async #read<Rec>(db: Db, orgId: string, table: RecordTable<Rec>, query: PageQuery): Promise<Listed<Rec>> {
    const key = listKey(orgId, table);
    const isLarge = table.hasLargeRows || this.#large.has(key);
    const listed = await listRecords(db, orgId, table, query, isLarge);
    if (this.#weigh(key, listed) <= pageBytesMax || isLarge) return listed;
    addBounded(this.#large, key);
    return listRecords(db, orgId, table, query, true);
  }

  /** Sets the landmarks up to an offset, once at a time and in the background. */
  setLandmarks(orgId: string, table: RecordTable<unknown>, offset: number): Promise<void> {
    const key = listKey(orgId, table);
    const already = this.#beingSet.get(key);
    if (already) return already;
    const setting = this.#setUpTo(orgId, table, offset)
      .catch(this.#onError)
      .finally(() => this.#beingSet.delete(key));
    this.#beingSet.set(key, setting);
    return setting;
  }

  async #setUpTo(orgId: string, table: RecordTable<unknown>, offset: number): Promise<void> {
    for (let i = 0; i < landmarksAtOnceMax; i++) {
      const position = await setNextLandmark(this.#database, orgId, table);
      if (position === undefined || position + landmarkSpacing > offset) return;
    }
  }
}

function addBounded(lists: Set<string>, key: string): void {
  if (lists.size >= largeListsMax) lists.clear();
  lists.add(key);
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
