import { z } from 'zod';
import type { RecordTable } from '../table/record-table.ts';
import { hashKey, textKey } from './list-key.sql.ts';

type Table = Pick<RecordTable<unknown>, 'resource' | 'columns'>;

/** Key of a field in its index and in conditions on the field. The functions take and return SQL. */
interface FieldKey {
  /** Returns the key of the index. */
  indexed(value: string): string;
  /** Returns the value to compare if the keys are equal; undefined if the key is the value itself. */
  compared?(value: string): string;
}

/** Returns the key of a field that is stored in a column. */
export function fieldKey(table: Table, field: string): FieldKey {
  if (!isFreeText(table, field)) return { indexed: (value) => value };
  const compared = (text: string) => (field === 'crm_id' ? text : `lower(${text})`);
  const isSort = table.resource.list.sorts?.includes(field);
  return { compared, indexed: isSort ? textKey : (text) => hashKey(compared(text)) };
}

/** Returns true for texts of any length. The values of an enum are short and have a fixed case. */
function isFreeText({ resource, columns }: Table, field: string): boolean {
  const type = columns.find(({ name }) => name === field)?.type;
  return type === 'text' && !(resource.fields[field]?.schema instanceof z.ZodEnum);
}
