import type { RecordTable } from '../table/record-table.ts';
import { hasValues, wordsKey } from './list-key.sql.ts';

/**
 * Returns a condition for the records that have all words of `$filter`, or words that begin with them. The database
 * splits the text of the query as it splits those of the records.
 */
export const wordsCondition = ({ resource: { list } }: RecordTable<unknown>) =>
  `${wordsKey(list.search ?? [], 'r.')} @@ list_words_query($1::uuid, $filter::text)`;

/** Returns a condition for lists that have one of several ids. */
export const idsCondition = (column: string, ids: string) => `${hasValues(`r.${column}`)} AND r.${column} && ${ids}`;
