import type { Db } from '@relata/db';
import { searchParameter } from '@relata/schemas';
import type { RecordTable } from '../table/record-table.ts';
import { type Condition, filterNames, hasNewFilter, listConditions } from './list-conditions.ts';
import { matchesMax, type PageQuery } from './record-page.sql.ts';

type Table = RecordTable<unknown>;

/** Databases for the statements of a list. */
export interface ListDb {
  /** For statements that read a bounded number of rows. */
  db: Db;
  /** For statements that can read very many rows. */
  scan: Db;
}

/**
 * Maximum number of rows that are read in the order of the list to find a page of matches. In a list of a million
 * records with just over 10,000 matches, one row in 100 matches, so a page of 100 takes 10,000 rows.
 */
const walkedMax = 20_000;
/**
 * Like `walkedMax`, for a search. It compares the texts of each row, which takes 5 µs if they are ASCII, otherwise 50
 * µs or more.
 */
const searchedMax = 3_000;
/**
 * Further rows that may be read for each row before the page. In a list of a million records with 50,000 matches, one
 * row in 20 matches.
 */
const walkedPerSkipped = 20;
/**
 * Further matches, beyond 10,000, that may be sorted for each row before the page. Reading a match by an index takes
 * twice as long as walking past a row, but a walk to the page also passes all rows between the matches.
 */
const sortedPerSkipped = 8;

/** Returns true if a query has a parameter other than `limit`, `offset` and the filters of the contract. */
export function hasNewParameter({ filters }: Table, query: PageQuery): boolean {
  const isOld = (name: string) => name === 'limit' || name === 'offset' || Object.hasOwn(filters, name);
  return Object.entries(query).some(([name, value]) => value !== undefined && !isOld(name));
}

/**
 * Returns true for a list with only contract filters that counts all matches, however many there are. One plan suits
 * all values. Lists without a filter have a stored total and landmarks.
 */
export function countsAllMatches(table: Table, query: PageQuery): boolean {
  return filterNames(table, query).length > 0 && !hasNewFilter(table, query) && query.count !== 'none';
}

/**
 * Returns true for a list with one new filter whose index has the matches in the order of the list. As with contract
 * filters, one plan suits all values, and a page takes half as long if it is not planned each time.
 */
function suitsOnePlan(table: Table, query: PageQuery): boolean {
  const [condition, ...others] = listConditions(table, query);
  return (
    sortedField(query) === 'id' && query.count !== 'exact' && condition?.isInIdOrder === true && others.length === 0
  );
}

/** Returns true for a list whose plan depends on its values: it is sorted by a field, or has new filters. */
export function isPlannedForValues(table: Table, query: PageQuery): boolean {
  return sortedField(query) !== 'id' || (hasNewFilter(table, query) && !suitsOnePlan(table, query));
}

/** Offset up to which at most 18,000 matches are read from an index to find a page. */
const shortOffset = 1_000;

/**
 * Returns true if a page needs a scan slot, since it can read far more than 10,000 rows. For links, several tags or
 * several filters, it reads an index to its end; for words, it reads a part to its end. At a large offset, it sorts
 * more matches.
 */
export function findsInScanSlot(table: Table, query: PageQuery): boolean {
  const [first, ...others] = listConditions(table, query);
  return (
    first !== undefined && (first.indexedField === undefined || others.length > 0 || skippedOf(query) > shortOffset)
  );
}

/** Returns true if a page may need a scan slot later: to count all matches, or to find a page among many. */
export function mayUseScanSlot(table: Table, query: PageQuery): boolean {
  return (
    filterNames(table, query).length > 0 && (query.count === 'exact' || splitConditions(table, query)[1].length > 0)
  );
}

/** Returns the field by which a list is sorted. */
export const sortedField = ({ sort = 'id' }: PageQuery) => sort.replace(/^-/, '');

/**
 * Returns the conditions that can be answered by an index in the order of the list, and the others. In the order of
 * ids, each index has one field and so answers one condition.
 */
export function splitConditions(table: Table, query: PageQuery): [inOrder: Condition[], others: Condition[]] {
  const all = listConditions(table, query);
  const sorted = sortedField(query);
  const first = all.find(({ isInIdOrder }) => isInIdOrder);
  const isInOrder = (each: Condition) => (sorted === 'id' ? each === first : each.indexedField === sorted);
  return [all.filter(isInOrder), all.filter((each) => !isInOrder(each))];
}

/** Returns the number of rows to skip before a page, counted from the start of the list; 0 after a cursor. */
export const skippedOf = ({ cursor, offset = 0 }: PageQuery) => (cursor === undefined ? offset : 0);

/**
 * Returns the maximum number of matches that are sorted. If there are more, the page is read in the order of the list.
 */
export const sortedMaxOf = (query: PageQuery) => matchesMax + skippedOf(query) * sortedPerSkipped;

/** Returns how many rows may be passed over when a page is read in the order of the list. */
export function walkedMaxOf(query: PageQuery): number {
  return query[searchParameter] === undefined ? walkedMax + skippedOf(query) * walkedPerSkipped : searchedMax;
}
