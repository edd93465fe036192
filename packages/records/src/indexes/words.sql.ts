import type { RecordTable } from '../table/record-table.ts';
import { hasValues, wordsKey } from './list-key.sql.ts';

type Table = RecordTable<unknown>;

const wordsOf = ({ resource: { list } }: Table) => wordsKey(list.search ?? [], 'r.');

/**
 * Returns a condition for the records that have all words of `$filter`, or words that begin with them. The database
 * splits the text of the query as it splits those of the records.
 */
export const wordsCondition = (table: Table) => `${wordsOf(table)} @@ search_query($1::uuid, $filter::text)`;

/**
 * Returns SQL for the rows `r` that meet this condition, after FROM: those of one part of the records after the other. With
 * a LIMIT, the other parts are not read.
 */
export const rowsWithWords = (table: Table) =>
  `search_queries($1::uuid, $filter::text) AS part (query) CROSS JOIN LATERAL (
    SELECT r.* FROM ${table.name} r WHERE r.org_id = $1 AND ${wordsOf(table)} @@ part.query
  ) r WHERE true`;

/** Returns a condition for lists that have one of several ids. */
export const idsCondition = (column: string, ids: string) => `${hasValues(`r.${column}`)} AND r.${column} && ${ids}`;
