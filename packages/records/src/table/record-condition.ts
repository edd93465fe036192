import { hashKey } from '../indexes/list-key.sql.ts';

/**
 * A condition that a value is equal to `$filter`. The index of its column holds the hash of the value and then the id,
 * so that the rows of one hash are in the order of their ids.
 */
export interface IndexedText {
  hash: string;
  filterHash: string;
  isSame: string;
}

export const asWritten = (text: string) => text;
export const inLowerCase = (text: string) => `lower(${text})`;

const textIn =
  (textOf: (value: string) => string) =>
  (column: string): IndexedText => {
    const [text, given] = [textOf(`r.${column}`), textOf('$filter')];
    return { hash: hashKey(text), filterHash: hashKey(given), isSame: `${text} = ${given}` };
  };

export const anyCase = textIn(inLowerCase);
export const exactly = textIn(asWritten);

/** Returns a condition for whole values regardless of case; the index holds the hash. */
export const sameText = (column: string) => textCondition(anyCase(column));

export function textCondition({ hash, filterHash, isSame }: IndexedText): string {
  return `${hash} = ${filterHash} AND ${isSame}`;
}

/**
 * Like `textCondition`, but makes the planner use the order of the index. For an equality of hashes, the planner would
 * know that the matches are in the order of their ids. It might then scan all records of the organization by id
 * instead.
 */
export function textRange(text: IndexedText): string {
  return `${hashRange(text)} AND ${text.isSame}`;
}

export function hashRange({ hash, filterHash }: IndexedText): string {
  return `${hash} >= ${filterHash} AND ${hash} <= ${filterHash}`;
}

export function sameId(column: string): string {
  return `r.${column} = $filter::uuid`;
}

/**
 * A comparison of records to find duplicates. Its index holds the hash of the texts and then the id, so that equal
 * records are adjacent in the index. The SQL refers to the row `r`.
 */
export interface Comparison {
  hash: string;
  /** Texts that must all be equal. */
  texts: readonly string[];
  /** Condition for records that are compared. */
  isCompared: string;
  /** Name and SQL of the index, in which columns have no prefix; undefined if a migration has created it. */
  index?: { name: string; hash: string; isCompared: string };
}

/**
 * Returns the comparison of the texts of columns. Records with an empty column are not compared. `textOf` returns SQL
 * for the text of a column; if the text is null, so is the hash. Without `indexName`, a migration has created the
 * index.
 */
export function comparedBy(
  columns: readonly string[],
  textOf: (column: string) => string,
  indexName?: string,
): Comparison {
  const of = (row: string) => {
    const names = columns.map((column) => `${row}${column}`);
    const texts = names.map(textOf);
    const hash = texts.reduce((seed, text) => hashKey(text, seed), '0');
    return { hash, texts, isCompared: names.map((name) => `${name} <> ''`).join(' AND ') };
  };
  const { hash, isCompared } = of('');
  return { ...of('r.'), ...(indexName !== undefined && { index: { name: indexName, hash, isCompared } }) };
}

/**
 * Returns SQL for the host of a domain that may be written as a URL: without scheme, `www.`, port, path and trailing
 * dot; null if nothing is left. One regular expression would take twice as long. The colons mark both ends of the host,
 * which contains none.
 */
export function hostOf(domain: string): string {
  const lower = inLowerCase(domain);
  const stripped = `regexp_replace(${lower}, '^[a-z]+://', '')`;
  const withoutScheme = `CASE WHEN strpos(${domain}, '://') > 0 THEN ${stripped} ELSE ${lower} END`;
  const host = ['/', '?', '#', ':'].reduce((text, end) => `split_part(${text}, '${end}', 1)`, withoutScheme);
  return `nullif(btrim(replace(replace(':' || ${host} || ':', ':www.', ':'), '.:', ':'), ':'), '')`;
}
