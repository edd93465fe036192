import type { RecordTable } from '../table/record-table.ts';
import { hasValues, searchedText, wordsKey } from './list-key.sql.ts';

type Table = RecordTable<unknown>;

const wordsOf = ({ resource: { list } }: Table) => wordsKey(list.search ?? [], 'r.');

/**
 * Returns a condition for the records that have, for each word of `$filter`, a word that begins with it. PostgreSQL
 * splits the query into words in the same way as the texts of the records.
 */
export const wordsCondition = (table: Table) => `${wordsOf(table)} @@ search_query($1::uuid, $filter::text)`;

const textOf = ({ resource: { list } }: Table) => searchedText(list.search ?? [], 'r.');

const isWide = (text: string) => `octet_length(${text}) <> char_length(${text})`;

/** Returns a condition for the records whose searched text is not in ASCII. */
export const hasWideText = (table: Table) => isWide(textOf(table));

/**
 * LIKE patterns for the words of the query. In a pattern of `search_patterns`, the word follows a group in parentheses.
 */
const wordsAnywhere = `ARRAY(
      SELECT '%' || split_part(pattern, ')', 2) || '%' FROM unnest(search_patterns($filter::text)) pattern)`;

/**
 * Returns a condition that has the same result as `wordsCondition`, but cannot use an index. It is faster for a text in
 * ASCII, and fastest if the text lacks a word. OFFSET makes PostgreSQL join the fields only once per record.
 */
export const comparedWords = (table: Table) => `(SELECT CASE WHEN ${isWide('text')}
      THEN search_words(r.org_id, r.id, text) @@ search_query($1::uuid, $filter::text)
      ELSE lower(text COLLATE "C") LIKE ALL (${wordsAnywhere})
        AND lower(text COLLATE "C") ~ ALL (search_patterns($filter::text)) END
    FROM (SELECT ${textOf(table)} AS text OFFSET 0) searched)`;

/**
 * Returns SQL to put after FROM, for the rows `r` that match the words. It reads one part of the records after the
 * other (migration 049); with a LIMIT, it stops at the part that completes the result. OFFSET keeps other conditions
 * outside: if an organization seemed small, the planner would split the texts of all its records once for each part.
 */
export const rowsWithWords = (table: Table) =>
  `search_queries($1::uuid, $filter::text) AS part (query) CROSS JOIN LATERAL (
    SELECT r.* FROM ${table.name} r WHERE ${wordsOf(table)} @@ part.query OFFSET 0
  ) r WHERE r.org_id = $1`;

/** Returns a condition that a list has one of several ids. */
export const idsCondition = (column: string, ids: string) => `${hasValues(`r.${column}`)} AND r.${column} && ${ids}`;
