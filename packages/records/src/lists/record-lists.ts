import type { Database, Db, ScanDb } from '@relata/db';
import { QueueFullError, Slots } from '@relata/runtime';
import { duplicateEntriesMax } from '@relata/schemas';
import { type Duplicates, type DuplicatesQuery, findDuplicates } from '../duplicates/duplicates.sql.ts';
import { filterNames } from './list-conditions.ts';
import { Landmarks, listKey } from './landmarks.ts';
import { checkCursor, listRecords, type Listed, type Page, pageBytesMax, type PageQuery } from './record-page.sql.ts';
import {
  countsAllMatches,
  findsInScanSlot,
  hasNewParameter,
  isPlannedForValues,
  type ListDb,
  mayUseScanSlot,
} from './list-plan.ts';
import { listPlanned } from './planned-page.sql.ts';
import { showGroups, showPage, type Showing } from './shown-page.ts';
import { summarize, type Summary, type SummaryQuery } from './summary.sql.ts';
import { listMsMax, TookTooLongError, withTimeLimit } from './time-limit.ts';
import type { Row } from '../table/record-column.ts';
import type { RecordTable } from '../table/record-table.ts';

/** Maximum number of entries in each set or map of `RecordLists`. A full one is emptied. */
const largeListsMax = 10_000;

/**
 * Minimum length of a heavy page, in characters. Such a page blocks the event loop, and so all requests, for
 * milliseconds.
 */
const heavyLength = 131_072;
/**
 * Slots for reading heavy pages. An organization holds at most one, and keeps it for a while after the page was read.
 */
const heavySlots = 3;
/**
 * Pause of a slot after a heavy page while several organizations are active, as a multiple of the reading time: garbage
 * collection needs time, too. With one active organization, the pause is as long as the reading.
 */
const heavyRestTimes = 3;
const heavyWait = { ms: 5_000, error: () => new QueueFullError('Too many large pages at once.') };

const tooLongDuplicates = 'The search took longer than 5 s. Repeat it when the database is less busy.';

/**
 * Time limit in ms for the first attempt to read a page of duplicates. After that, a second attempt reads a tenth of
 * the entries. Without the second attempt, a client that retries could reach the time limit every time.
 */
const duplicatesMsMax = 3_000;

/** Query of a list. */
export type ListQuery = PageQuery & Showing;

/** Databases on which a list is read until the signal is aborted. */
interface ListOn {
  db: Db;
  scan: ScanDb;
  signal: AbortSignal | undefined;
}

/** Reads a page; `isBounded` limits its size in bytes. */
type ReadPage<Rec> = (isBounded: boolean) => Promise<Listed<Rec>>;

/** Database, function and signal for reading a page with its related records. */
interface Reading<Rec> {
  on: Db;
  readPage: ReadPage<Rec>;
  signal?: AbortSignal | undefined;
}

/** Lists records, using landmarks for deep pages. */
export class RecordLists {
  readonly #database: Database;
  readonly #landmarks: Landmarks;
  /**
   * Lists whose pages are limited in bytes. The limit is too expensive for small pages, so it applies from the first
   * page that was too large.
   */
  readonly #large = new Set<string>();
  /**
   * For each list, true if its last page was heavy. A list without an entry counts as heavy if its table has large
   * rows.
   */
  readonly #heavy = new Map<string, boolean>();
  readonly #heavySlots = new Slots(heavySlots);
  /** Turns of organizations: each reads one heavy page at a time. */
  readonly #turns = new Map<string, Slots>();

  /** `onError` receives errors that prevented landmarks from being set; pages are then read without them. */
  constructor(database: Database, onError: (error: unknown) => void) {
    this.#database = database;
    this.#landmarks = new Landmarks(database, onError);
  }

  /**
   * Lists records. If the signal is aborted, the list is also cancelled in the database. A short list with only
   * parameters of the contract is not cancelled.
   */
  async list<Rec>(orgId: string, table: RecordTable<Rec>, query: ListQuery, signal?: AbortSignal): Promise<Page<Rec>> {
    checkCursor(orgId, table, query);
    if (isPlannedForValues(table, query))
      return this.#inTime(orgId, signal, (on) => this.#listPlanned(orgId, table, query, on));
    if (hasNewParameter(table, query))
      return this.#inTime(orgId, signal, (on) => this.#listById(orgId, table, query, on));
    // Making a short query cancellable would cost more than it saves.
    const on = { db: this.#database.of(orgId), scan: this.#database.scanOf(orgId, signal), signal };
    return this.#listById(orgId, table, query, on);
  }

  async #listById<Rec>(
    orgId: string,
    table: RecordTable<Rec>,
    query: ListQuery,
    { db, scan, signal }: ListOn,
  ): Promise<Page<Rec>> {
    // Landmarks mark positions in the unfiltered list in ascending order of id. A cursor needs none, and the offsets of
    // other lists are small.
    const hasLandmarks = query.cursor === undefined && query.sort !== '-id' && filterNames(table, query).length === 0;
    const offset = hasLandmarks ? (query.offset ?? 0) : 0;
    const ready = this.#landmarks.ready(orgId, table, offset);
    if (ready) await ready;
    signal?.throwIfAborted();
    const isLong = countsAllMatches(table, query) || this.#landmarks.mayBeLong(orgId, table, offset);
    const readOn = (on: Db) => {
      const readPage: ReadPage<Rec> = (isBounded) => listRecords(on, orgId, table, query, isBounded);
      return this.#readInSlot(orgId, table, query, { on, readPage, signal });
    };
    const read = () => (isLong ? scan.inOneSlot(readOn) : readOn(db));
    const { page, passedOver } = await this.#inTurn(orgId, table, signal, read);
    if (offset > 0) this.#landmarks.note(orgId, table, { offset, passedOver });
    return page;
  }

  #listPlanned<Rec>(
    orgId: string,
    table: RecordTable<Rec>,
    query: ListQuery,
    { db, scan, signal }: ListOn,
  ): Promise<Page<Rec>> {
    const read = async (on: ListDb) => {
      const readPage: ReadPage<Rec> = (isBounded) => listPlanned(on, orgId, table, query, isBounded);
      return (await this.#readInSlot(orgId, table, query, { on: on.db, readPage, signal })).page;
    };
    return this.#inTurn(orgId, table, signal, () =>
      // Holds one slot for all statements: a list that waited for a second slot behind many others would time out.
      findsInScanSlot(table, query) || (this.#isHeavy(orgId, table) && mayUseScanSlot(table, query))
        ? scan.inOneSlot((on) => read({ db: on, scan: on }))
        : read({ db, scan }),
    );
  }

  /** Counts and adds up the records of a list. */
  summarize(
    orgId: string,
    table: RecordTable<unknown>,
    query: SummaryQuery,
    signal: AbortSignal | undefined,
  ): Promise<Summary> {
    return this.#inTime(orgId, signal, ({ db, scan }) => {
      const read = async (on: ListDb) =>
        showGroups(on.db, orgId, table, query, await summarize(on, orgId, table, query));
      return findsInScanSlot(table, query) ? scan.inOneSlot((on) => read({ db: on, scan: on })) : read({ db, scan });
    });
  }

  /** Finds groups of records with the same value. */
  findDuplicates(
    orgId: string,
    table: RecordTable<unknown>,
    query: DuplicatesQuery,
    signal: AbortSignal | undefined,
  ): Promise<Duplicates> {
    const walk = (entriesMax: number, msMax: number) => {
      const bounds = { msMax, tooLongText: tooLongDuplicates };
      const read = ({ scan }: { scan: Db }) => findDuplicates(scan, orgId, table, { ...query, entriesMax });
      return this.#inTime(orgId, signal, read, bounds);
    };
    return walk(duplicateEntriesMax, duplicatesMsMax).catch((error: unknown) => {
      if (!(error instanceof TookTooLongError)) throw error;
      return walk(duplicateEntriesMax / 10, listMsMax - duplicatesMsMax);
    });
  }

  /** Runs `work`, and cancels it in the database if it takes too long or the signal is aborted. */
  #inTime<Result>(
    orgId: string,
    given: AbortSignal | undefined,
    work: (on: ListOn) => Promise<Result>,
    limit?: Parameters<typeof withTimeLimit>[2],
  ): Promise<Result> {
    return withTimeLimit(
      given,
      (signal) => work({ db: this.#database.of(orgId, signal), scan: this.#database.scanOf(orgId, signal), signal }),
      limit,
    );
  }

  /**
   * Runs `work` in the turn of the organization, if its page may be heavy. Pages wait here for other pages of their
   * organization, before they take one of the few scan slots that all organizations share.
   */
  #inTurn<Result>(
    orgId: string,
    table: RecordTable<unknown>,
    signal: AbortSignal | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (!this.#isHeavy(orgId, table)) return work();
    if (this.#turns.size >= largeListsMax) this.#turns.clear();
    return this.#holding(
      this.#turns.getOrInsertComputed(orgId, () => new Slots(1)),
      orgId,
      signal,
      work,
      // No pause: its length would include the time that the page waited for a slot for heavy pages.
      0,
    );
  }

  /**
   * Reads a page in a slot for heavy pages, if it may be heavy. If it needs a scan slot, the caller takes that first:
   * while a page waits for a scan slot, it must not hold one of the few slots for heavy pages.
   */
  #readInSlot<Rec>(orgId: string, table: RecordTable<Rec>, query: ListQuery, reading: Reading<Rec>) {
    const read = () => this.#readShown(orgId, table, query, reading);
    return this.#isHeavy(orgId, table) ? this.#holding(this.#heavySlots, orgId, reading.signal, read) : read();
  }

  async #holding<Result>(
    slots: Slots,
    orgId: string,
    signal: AbortSignal | undefined,
    work: () => Promise<Result>,
    restTimes = this.#database.isOfSeveral ? heavyRestTimes : 1,
  ): Promise<Result> {
    const slot = await slots.hold([orgId], { signal, longestWait: heavyWait, restTimes });
    try {
      return await work();
    } finally {
      // Keeps the slot until the page is serialized, since that takes as long as reading the page.
      setImmediate(() => slot[Symbol.dispose]());
    }
  }

  #isHeavy(orgId: string, table: RecordTable<unknown>): boolean {
    return this.#heavy.get(listKey(orgId, table)) ?? table.hasLargeRows ?? false;
  }

  /** Returns the length of a page in characters, and remembers if the next page of this list must wait for a turn. */
  #weigh(orgId: string, table: RecordTable<unknown>, { page }: Listed<unknown>): number {
    const length = textLength(page.data as Row[]);
    const isHeavy = length >= heavyLength;
    if (this.#isHeavy(orgId, table) !== isHeavy) {
      if (this.#heavy.size >= largeListsMax) this.#heavy.clear();
      this.#heavy.set(listKey(orgId, table), isHeavy);
    }
    return length;
  }

  async #readShown<Rec>(orgId: string, table: RecordTable<Rec>, query: ListQuery, { on, readPage }: Reading<Rec>) {
    const listed = await this.#read(orgId, table, readPage);
    if (!query.expand && !query.fields) return listed;
    const shown = await showPage(on, orgId, table, query, listed);
    // The omitted fields were read, too. So the page is weighed again only if related records made it longer.
    if (textLength(shown.page.data as Row[]) > textLength(listed.page.data as Row[])) this.#weigh(orgId, table, shown);
    return shown;
  }

  async #read<Rec>(orgId: string, table: RecordTable<Rec>, read: ReadPage<Rec>): Promise<Listed<Rec>> {
    const key = listKey(orgId, table);
    const isLarge = table.hasLargeRows || this.#large.has(key);
    const listed = await read(isLarge);
    if (this.#weigh(orgId, table, listed) <= pageBytesMax || isLarge) return listed;
    if (this.#large.size >= largeListsMax) this.#large.clear();
    this.#large.add(key);
    return read(true);
  }
}

function textLength(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + lengthOf(row), 0);
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + lengthOf(each), 0);
  if (typeof value !== 'object' || value === null) return 0;
  let length = 0;
  for (const name in value) length += lengthOf((value as Row)[name]);
  return length;
}
