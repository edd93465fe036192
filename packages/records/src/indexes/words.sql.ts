import { searchWords } from '@relata/schemas';
import type { RecordTable } from '../table/record-table.ts';

export function wordsCondition({ resource: { list } }: RecordTable<unknown>): string {
  const columns = (list.search ?? []).map((field) => `r.${field}`).join(', ');
  return `to_tsvector('simple', concat_ws(' ', ${columns})) @@ $filter::tsquery`;
}

export function wordsQuery(text: string): string {
  return searchWords(text.toLowerCase())
    .map((word) => `'${word}':*`)
    .join(' & ');
}
