import type { RecordTable } from '../table/record-table.ts';
import { hasValues, searchedText, wordsKey } from './list-key.sql.ts';

type Table = RecordTable<unknown>;

const wordsOf = ({ resource: { list } }: Table) => wordsKey(list.search ?? [], 'r.');

/**
 * Returns a condition for the records that have all words of `$filter`, or words that begin with them. The database
 * splits the text of the query as it splits those of the records.
 */
export const wordsCondition = (table: Table) => `${wordsOf(table)} @@ search_query($1::uuid, $filter::text)`;

const textOf = ({ resource: { list } }: Table) => searchedText(list.search ?? [], 'r.');

const isWide = (text: string) => `octet_length(${text}) <> char_length(${text})`;

/** Returns a condition for the records whose searched text is not in ASCII. */
export const hasWideText = (table: Table) => isWide(textOf(table));

/** Words of the query, as patterns of LIKE. Each pattern of `search_patterns` has its word after a group. */
const wordsAnywhere = `ARRAY(
      SELECT '%' || split_part(pattern, ')', 2) || '%' FROM unnest(search_patterns($filter::text)) pattern)`;

/**
 * Returns the same condition in a form that no index answers. It takes less time for a text in ASCII, and least for one
 * that lacks a word. OFFSET makes PostgreSQL join the fields once for each record.
 */
export const comparedWords = (table: Table) => `(SELECT CASE WHEN ${isWide('text')}
      THEN search_words(r.org_id, r.id, text) @@ search_query($1::uuid, $filter::text)
      ELSE lower(text COLLATE "C") LIKE ALL (${wordsAnywhere})
        AND lower(text COLLATE "C") ~ ALL (search_patterns($filter::text)) END
    FROM (SELECT ${textOf(table)} AS text OFFSET 0) searched)`;

/**
 * Returns SQL for the rows `r` that meet this condition, after FROM: those of one part of the records after the other. With
 * a LIMIT, no part is read after those that have enough. OFFSET keeps other conditions out: for an organization that seems
 * to be small, the planner would split the texts of all its records once for each part.
 */
export const rowsWithWords = (table: Table) =>
  `search_queries($1::uuid, $filter::text) AS part (query) CROSS JOIN LATERAL (
    SELECT r.* FROM ${table.name} r WHERE ${wordsOf(table)} @@ part.query OFFSET 0
  ) r WHERE r.org_id = $1`;

/** Returns a condition for lists that have one of several ids. */
export const idsCondition = (column: string, ids: string) => `${hasValues(`r.${column}`)} AND r.${column} && ${ids}`;
