import { searchParameter } from '@relata/schemas';
import type { RecordTable } from '../table/record-table.ts';
import { type Condition, filterNames, hasNewFilter, listConditions } from './list-conditions.ts';
import { matchesMax, type PageQuery } from './record-page.sql.ts';

type Table = RecordTable<unknown>;

/**
 * Rows that are read in the order of the list to find a page of matches. Where one record in a hundred matches, which is
 * the least that is dense in a list of a million, a page of 100 needs half as many.
 */
const walkedMax = 20_000;
/** Rows that a search reads so. It compares the texts of each: 5 µs if they are ASCII, 50 or more otherwise. */
const searchedMax = 3_000;
/** Further rows that are read so for each row before the page: in a list of a million, 50,000 matches have such gaps. */
const walkedPerSkipped = 20;
/**
 * Matches beyond 10,000 that are sorted for each row before the page. Reading a match by an index takes twice as long as
 * walking past a row, but a walk to the page passes all rows between the matches, too.
 */
const sortedPerSkipped = 8;

/**
 * Returns true for a list whose plan is the same for all values, and which counts all matches, however many they are. Lists
 * without a filter have a stored total and landmarks.
 */
export function countsAllMatches(table: Table, query: PageQuery): boolean {
  return filterNames(table, query).length > 0 && !hasNewFilter(table, query) && query.count !== 'none';
}

/**
 * Returns true for a list with one new filter whose index has the matches in the order of the list. As for contract
 * filters, one plan suits all values, and a page takes half as long without being planned.
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

/** Offset up to which a page is found among 20,000 matches in an index. */
const shortOffset = 1_000;

/**
 * Returns true if a page is found in a scan slot, since that may read more rows than a few times 10,000: an index of links
 * and those of several tags or filters are read to the end, and that of words to the end of a part. Behind an offset, more
 * matches are sorted.
 */
export function findsInScanSlot(table: Table, query: PageQuery): boolean {
  const [first, ...others] = listConditions(table, query);
  return (
    first !== undefined && (first.indexedField === undefined || others.length > 0 || skippedOf(query) > shortOffset)
  );
}

/** Returns true if a page may take a scan slot later: to count all matches, or to find some of many. */
export function mayUseScanSlot(table: Table, query: PageQuery): boolean {
  return (
    filterNames(table, query).length > 0 && (query.count === 'exact' || splitConditions(table, query)[1].length > 0)
  );
}

/** Returns the field by which a list is sorted. */
export const sortedField = ({ sort = 'id' }: PageQuery) => sort.replace(/^-/, '');

/**
 * Returns the conditions that the index in the order of the list answers, and the others. In the order of ids there is an
 * index for each field, so it is the index of one condition.
 */
export function splitConditions(table: Table, query: PageQuery): [inOrder: Condition[], others: Condition[]] {
  const all = listConditions(table, query);
  const sorted = sortedField(query);
  const first = all.find(({ isInIdOrder }) => isInIdOrder);
  const isInOrder = (each: Condition) => (sorted === 'id' ? each === first : each.indexedField === sorted);
  return [all.filter(isInOrder), all.filter((each) => !isInOrder(each))];
}

/** Returns the number of rows before a page that belong neither to it nor to the pages before its cursor. */
export const skippedOf = ({ cursor, offset = 0 }: PageQuery) => (cursor === undefined ? offset : 0);

/** Returns the largest number of matches that are sorted; a page among more of them is read in the order of the list. */
export const sortedMaxOf = (query: PageQuery) => matchesMax + skippedOf(query) * sortedPerSkipped;

/** Returns how many rows may be left out when a page is read in the order of the list. */
export function walkedMaxOf(query: PageQuery): number {
  return query[searchParameter] === undefined ? walkedMax + skippedOf(query) * walkedPerSkipped : searchedMax;
}
