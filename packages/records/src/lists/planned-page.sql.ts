import { type Db, plannedStatement } from '@relata/db';
import { invalidCursor, validationError } from '@relata/schemas/errors';
import type { Row } from '../table/record-column.ts';
import { type RecordTable, selected, toRecord } from '../table/record-table.ts';
import { afterPlaceSql } from './after-place.sql.ts';
import { chooseAccessPath } from './choose-access-path.sql.ts';
import {
  comparedSql,
  type Condition,
  filterNames,
  hasNewFilter,
  recordOf,
  type SortKey,
  sortKey,
  Values,
} from './list-conditions.ts';
import { type CursorPlace, decodeCursor, encodeCursor } from './list-cursor.ts';
import { type ListDb, skippedOf, sortedField, sortedMaxOf, splitConditions, walkedMaxOf } from './list-plan.ts';
import { matchingSql, type AccessPath } from './matching.sql.ts';
import {
  boundedSql,
  keptCountSql,
  type Listed,
  matchesMax,
  pageOf,
  type PageQuery,
  scopeOf,
} from './record-page.sql.ts';

type Table = RecordTable<unknown>;

interface Found {
  rows: Row[];
  /** True if more rows follow. */
  hasMore: boolean;
  /** Total, from the same snapshot; undefined if it is not counted. */
  total?: number | undefined;
}

/** Rows of a page, and how they were found. */
interface FoundPage extends Found {
  /** True if the page was read in the order of the list. */
  isWalked: boolean;
}

/**
 * Lists records in any order and with any filters. Up to 10,000 matches, or more for a page after an offset, are found
 * by the indexes of the filters and then sorted. The same statement counts them. If there are more matches, they are so
 * frequent that the page is read in the order of the list.
 */
export async function listPlanned<Rec>(
  on: ListDb,
  orgId: string,
  table: RecordTable<Rec>,
  query: PageQuery,
  isBounded: boolean,
): Promise<Listed<Rec>> {
  const selection = new Selection(orgId, table, query, isBounded);
  const { rows, hasMore, total, isWalked } = await selection.read(on);
  const data = rows.map((row) => toRecord(table, row));
  const cursorAfter = (at: number) => selection.cursorAfter(rows[at]!, isWalked);
  return { page: pageOf(query, data, total, hasMore, cursorAfter), passedOver: 0, cursorAfter };
}

/** The statements of one request, with their values. */
class Selection {
  readonly #orgId: string;
  readonly #table: Table;
  readonly #query: PageQuery;
  readonly #isBounded: boolean;
  readonly #key: SortKey | undefined;
  readonly #direction: 'ASC' | 'DESC';
  readonly #after: CursorPlace | undefined;
  #accessPath: Promise<AccessPath | undefined> | undefined;

  constructor(orgId: string, table: Table, query: PageQuery, isBounded: boolean) {
    this.#orgId = orgId;
    this.#table = table;
    this.#query = query;
    this.#isBounded = isBounded;
    const field = sortedField(query);
    this.#key = field === 'id' ? undefined : sortKey(table, field);
    this.#direction = query.sort?.startsWith('-') ? 'DESC' : 'ASC';
    this.#after = query.cursor === undefined ? undefined : decodeCursor(scopeOf(orgId, table, query), query.cursor);
    if (this.#after && !this.#isPlace(this.#after)) throw validationError([invalidCursor]);
  }

  /** Returns true if the key of a cursor fits the sort order of the list. */
  #isPlace({ key }: CursorPlace): boolean {
    return this.#key ? key !== undefined && (key !== null || this.#key.isNullable) : key === undefined;
  }

  /** Reads the page in the way that suits the number of matches. */
  async read(on: ListDb): Promise<FoundPage> {
    if (!this.#isFiltered) return { ...(await this.#walk(on.db, false)), isWalked: true };
    // The cursor says that there are too many matches to sort, and the request needs no count.
    if (this.#after?.isWalked && this.#query.count === 'none') return this.#readMany(on);
    const found = await this.#readMatches(on.db);
    return found ? { ...found, isWalked: false } : this.#readMany(on);
  }

  get #isFiltered(): boolean {
    return filterNames(this.#table, this.#query).length > 0;
  }

  /** True if the total is exact, however many records match. */
  get #isExact(): boolean {
    const { count } = this.#query;
    return count === 'exact' || (count !== 'none' && !hasNewFilter(this.#table, this.#query));
  }

  cursorAfter(row: Row, isWalked: boolean): string {
    const key = this.#key && { key: row['sort_key'] as string | null };
    return encodeCursor(scopeOf(this.#orgId, this.#table, this.#query), { id: row['id'] as string, isWalked, ...key });
  }

  /** Reads a page of the matches and their number. Returns undefined if there are too many matches to sort. */
  async #readMatches(db: Db): Promise<Found | undefined> {
    const values = new Values(this.#orgId);
    const key = this.#key ? `, ${this.#key.sql} AS key` : '';
    const sortedMax = sortedMaxOf(this.#query);
    const accessPath = await this.#accessPathOn(db);
    const matching = `SELECT r.id${key} FROM ${this.#from(values, { accessPath })}`;
    // If PostgreSQL knew the limit, it would read the records in the order of an index instead of the physical order.
    const found = accessPath === 'planned' ? `WITH found AS MATERIALIZED (${matching}) SELECT * FROM found` : matching;
    const hits = `${found} LIMIT ${sortedMax + 1}`;
    const places = `SELECT id${this.#key ? ', key' : ''} FROM hits
      WHERE (SELECT n FROM counted) <= ${sortedMax} AND ${this.#isAfter(values, 'key', 'id')}
      ORDER BY ${this.#order('key', 'id')} ${this.#slice(values)}`;
    const sql = `WITH hits AS MATERIALIZED (${hits}), counted AS MATERIALIZED (SELECT count(*) AS n FROM hits)
      SELECT counted.n AS matches, p.* FROM counted LEFT JOIN LATERAL (${this.#page(places)}) p ON true
      ORDER BY p.place`;
    const rows = await this.#run(db, 'matches', sql, values);
    const matches = Number(rows[0]!['matches']);
    if (matches > sortedMax) return undefined;
    const isCounted = this.#query.count !== 'none' && (this.#isExact || matches <= matchesMax);
    return { ...this.#found(rows), total: isCounted ? matches : undefined };
  }

  /**
   * Reads a page in the order of the list, if there are too many matches to sort first. Few other rows are read, unless
   * all matches are at the far end of the list. In that case it reads and sorts all matches.
   */
  async #readMany({ db, scan }: ListDb): Promise<FoundPage> {
    const [, others] = splitConditions(this.#table, this.#query);
    const isBounded = others.length > 0;
    const walked = await this.#walk(isBounded || this.#isExact ? scan : db, isBounded);
    // If the walk found no row beyond the page, it may have reached its row limit before the last match.
    const found = isBounded && !walked.hasMore ? await this.#sortAll(scan) : walked;
    return { ...found, isWalked: true };
  }

  /**
   * Reads the matches among the next rows of the list. Records without a key come after those with one. A bounded walk
   * does not continue to them, since it may have ended before the last record with a key.
   */
  async #walk(db: Db, isBounded: boolean): Promise<Found> {
    const values = new Values(this.#orgId);
    const slice = this.#slice(values);
    const reach = values.add(this.#reach);
    const rowsMax = isBounded ? values.add(this.#reach + walkedMaxOf(this.#query)) : reach;
    const [inOrder, others] = splitConditions(this.#table, this.#query);
    const key = this.#key;
    const hasOnlyIds = !key && inOrder.length === 1 && inOrder[0]!.ids !== undefined;
    const ids = key ? [] : others.flatMap(({ idMin }) => (idMin === undefined ? [] : [idMin]));
    const least = ids.map((id) => ` AND r.id >= ${values.add(id)}::uuid`).join('');
    const from = this.#from(values, { conditions: inOrder }) + least;
    const rest = comparedSql(others, values);
    const after = this.#after;
    const isPastKeys = after?.key === null;
    const range = (isWithKey: boolean, condition: string) => {
      // Rows without a key only need the order of ids, but PostgreSQL would sort them if ORDER BY omitted the key.
      const names = key ? [key.sql, 'r.id'] : ['r.id'];
      // Read backwards, an index begins with the rows without a key. With `NULLS LAST`, PostgreSQL would sort all rows.
      const order = names.map((each) => `${each} ${this.#direction}`).join(', ');
      const shown = key ? `, ${isWithKey ? key.sql : `NULL::${key.type}`} AS key` : '';
      const rows = `SELECT r.* FROM ${from} AND ${condition} ORDER BY ${order} LIMIT ${rowsMax}::bigint`;
      const records = hasOnlyIds ? `(${rows}) walked ${recordOf(this.#table, 'walked')}` : `(${rows}) r`;
      // PostgreSQL does not know that `walked.id` equals `r.id`, and would sort all records.
      const ordered = hasOnlyIds ? `walked.id ${this.#direction}` : order;
      return `(SELECT r.id${shown} FROM ${records} WHERE ${rest} ORDER BY ${ordered} LIMIT ${reach}::bigint)`;
    };
    const isAfter = this.#isAfter(values, key?.sql ?? '', 'r.id', { isRange: true });
    const ranges: string[] = [];
    if (!key) ranges.push(range(false, isAfter));
    else {
      if (!isPastKeys) ranges.push(range(true, `${key.sql} IS NOT NULL AND ${isAfter}`));
      // PostgreSQL reads the second range only if the first has too few rows.
      if (key.isNullable && (isPastKeys || !isBounded))
        ranges.push(range(false, `${key.sql} IS NULL AND ${isPastKeys ? isAfter : 'true'}`));
    }
    const places = `SELECT id${key ? ', key' : ''} FROM (${ranges.join(' UNION ALL ')}) walked ${slice}`;
    // Matches are not counted if no further row was found, since `#sortAll` then reads the page and the total.
    const hasMore = `p.fetched > least(count(*) OVER (), ${this.#query.limit})`;
    return this.#readCounted(db, 'walk', this.#page(places), values, isBounded ? hasMore : 'true');
  }

  /** Reads and sorts all matches after the cursor, however many there are. */
  async #sortAll(db: Db): Promise<Found> {
    const values = new Values(this.#orgId);
    const key = this.#key;
    const isAfter = this.#isAfter(values, key?.sql ?? '', 'r.id');
    // OFFSET makes PostgreSQL find the hits before it sorts them. Otherwise it might walk the list again.
    const hits = `SELECT r.id${key ? `, ${key.sql} AS key` : ''} FROM ${this.#from(values, { accessPath: await this.#accessPathOn(db) })}
      AND ${isAfter} OFFSET 0`;
    const places = `SELECT id${key ? ', key' : ''} FROM (${hits}) hits ORDER BY ${this.#order('key', 'id')} ${this.#slice(values)}`;
    return this.#readCounted(db, 'sort', this.#page(places), values);
  }

  /**
   * Reads a page and, if the total is exact, the total. One statement reads both, so that they are from one snapshot.
   * `isCounted` is a condition on the rows of the page; if it is false, the matches are not counted.
   */
  async #readCounted(db: Db, kind: string, page: string, values: Values, isCounted = 'true'): Promise<Found> {
    if (!this.#isExact) return this.#found(await this.#run(db, kind, `${page} ORDER BY place`, values));
    const counting = await this.#countSql(db, values);
    const sql = `SELECT CASE WHEN ${isCounted} THEN (${counting}) END AS total, p.*
      FROM (SELECT) always LEFT JOIN LATERAL (${page}) p ON true ORDER BY p.place`;
    const rows = await this.#run(db, kind, sql, values);
    return { ...this.#found(rows), total: Number(rows[0]!['total']) };
  }

  /** Returns SQL for the number of matches, however many there are. */
  async #countSql(db: Db, values: Values): Promise<string> {
    if (!this.#isFiltered) return keptCountSql(this.#table);
    const matching = { needsOnlyIds: true, accessPath: await this.#accessPathOn(db) };
    return `SELECT count(*) FROM ${matchingSql(this.#table, this.#query, values, matching)}`;
  }

  #found(rows: readonly Row[]): Found {
    const found = rows.filter(({ id }) => id !== null);
    const fetched = Number(found[0]?.['fetched'] ?? 0);
    const shown = found.slice(0, this.#query.limit);
    return { rows: shown, hasMore: fetched > shown.length };
  }

  #from(values: Values, matching: { conditions?: readonly Condition[]; accessPath?: AccessPath | undefined }): string {
    return matchingSql(this.#table, this.#query, values, { ...matching, needsOnlyIds: !this.#key });
  }

  /** Chooses, once per request, how to find the matches. */
  #accessPathOn(db: Db): Promise<AccessPath | undefined> {
    this.#accessPath ??= chooseAccessPath(db, this.#orgId, this.#table, this.#query);
    return this.#accessPath;
  }

  /** Returns SQL for the rows of the ids that `places` selects: those of the page, and one more if others follow. */
  #page(places: string): string {
    const key = this.#key ? 'h.key::text' : 'NULL';
    const rows = `SELECT ${selected(this.#table)}, ${key} AS sort_key, h.place, h.fetched
      FROM (SELECT *, row_number() OVER () AS place, count(*) OVER () AS fetched FROM (${places}) found) h
      JOIN ${this.#table.name} r ON r.org_id = $1 AND r.id = h.id`;
    if (!this.#isBounded) return rows;
    return boundedSql(this.#table, rows, { order: 'ORDER BY place', more: ['sort_key', 'place', 'fetched'] });
  }

  #order(key: string, id: string): string {
    return this.#key ? `${key} ${this.#direction} NULLS LAST, ${id} ${this.#direction}` : `${id} ${this.#direction}`;
  }

  /** Number of rows from the start of the list, or from the cursor, to one row after the page. */
  get #reach(): number {
    return skippedOf(this.#query) + this.#query.limit + 1;
  }

  #slice(values: Values): string {
    return `LIMIT ${values.add(this.#query.limit + 1)}::bigint OFFSET ${values.add(skippedOf(this.#query))}::bigint`;
  }

  /** Returns the condition for rows after the cursor; `true` without a cursor. */
  #isAfter(values: Values, key: string, id: string, { isRange = false } = {}): string {
    const compare = this.#direction === 'DESC' ? '<' : '>';
    return this.#after ? afterPlaceSql(values, this.#after, this.#key, { key, id, compare, isRange }) : 'true';
  }

  async #run(db: Db, kind: string, sql: string, values: Values): Promise<Row[]> {
    try {
      return await db.query(plannedStatement<Row>(`${this.#table.name}.${kind}`, sql), values.all);
    } catch (error) {
      // Filters are validated, so the invalid value is in a forged cursor.
      if (this.#after && isDataException(error)) throw validationError([invalidCursor]);
      throw error;
    }
  }
}

/** Returns true for errors of SQLSTATE class 22: a text is not a value of the key's type, or is out of its range. */
const isDataException = (error: unknown) => String((error as { code?: unknown }).code).startsWith('22');
