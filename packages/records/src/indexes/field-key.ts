import { z } from 'zod';
import type { RecordTable } from '../table/record-table.ts';
import { hashKey, textKey } from './list-key.sql.ts';

type Table = Pick<RecordTable<unknown>, 'resource' | 'columns'>;

/** How the index of a field and the conditions on it see its values. The functions take SQL of a value. */
interface FieldKey {
  /** Returns the key of the index. */
  indexed(value: string): string;
  /** Returns what tells apart values with one key; undefined if the key is the value. */
  compared?(value: string): string;
}

/** Returns the key of a field with a column of its own. */
export function fieldKey(table: Table, field: string): FieldKey {
  if (!isFreeText(table, field)) return { indexed: (value) => value };
  const compared = (text: string) => (field === 'crm_id' ? text : `lower(${text})`);
  const isSort = table.resource.list.sorts?.includes(field);
  return { compared, indexed: isSort ? textKey : (text) => hashKey(compared(text)) };
}

/** Returns true for texts of any length; those of an enum are short, and are the same only in one case. */
function isFreeText({ resource, columns }: Table, field: string): boolean {
  const type = columns.find(({ name }) => name === field)?.type;
  return type === 'text' && !(resource.fields[field]?.schema instanceof z.ZodEnum);
}
