import { type NumberColumn, numberColumnOf, type Resource } from '@relata/schemas';
import { z } from 'zod';

export type ColumnType = 'text' | 'uuid' | 'text[]' | 'uuid[]' | 'timestamptz' | 'boolean' | NumberColumn;

export interface Column {
  name: string;
  type: ColumnType;
  /** True if a missing value is shown as `null`; otherwise it is left out. */
  isNullable?: boolean;
  /** True for a list that is left out when it is empty; other lists are always shown. */
  isOmittedIfEmpty?: boolean;
  /** Callers that may write the column; undefined if only the service does. `workflows` includes upserts of the API. */
  writableBy?: 'everyone' | 'workflows';
}

/** Returns true for columns of lists. Their value is an empty list rather than missing. */
export function isList(type: ColumnType): boolean {
  return type.endsWith('[]');
}

/** Values by column. */
export type Row = Record<string, unknown>;

/**
 * Column with the id in another CRM. Every caller reads it. Workflows and upserts write it; creates and patches of the
 * API ignore it.
 */
const crmId: Column = { name: 'crm_id', type: 'text', writableBy: 'workflows' };

const createdAndUpdated: Column[] = [
  { name: 'created_at', type: 'timestamptz', isNullable: true },
  { name: 'updated_at', type: 'timestamptz', isNullable: true },
];

/** Returns all columns except the id, in the order in which records show them. */
export function createColumns({ fields, hasCrmId }: Resource): Column[] {
  const own = Object.entries(fields).map(([name, { kind, schema }]): Column => {
    const type = typeFor(schema);
    return {
      name,
      type,
      ...(kind === 'nullable' && { isNullable: true }),
      ...(kind === 'optional' && isList(type) && { isOmittedIfEmpty: true }),
      ...(kind !== 'fixed' && { writableBy: 'everyone' }),
    };
  });
  return [...own, ...(hasCrmId ? [crmId] : []), ...createdAndUpdated];
}

/** Returns the type of the column that stores the values of a field. */
function typeFor(schema: z.ZodType): ColumnType {
  if (schema instanceof z.ZodArray) return typeFor(schema.element as z.ZodType) === 'uuid' ? 'uuid[]' : 'text[]';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  const numbers = numberColumnOf(schema);
  if (numbers) return numbers;
  if (schema instanceof z.ZodNumber)
    throw new Error('A number must have the bounds of its column: use integer(), bigint() or numeric(p, s).');
  if (!(schema instanceof z.ZodString || schema instanceof z.ZodEnum))
    throw new Error(`No column type stores values of type ${schema.type}.`);
  const format = schema.meta()?.['format'];
  if (format === 'date-time') return 'timestamptz';
  return format === 'uuid' ? 'uuid' : 'text';
}
