import type { FieldValue, Resource } from '@relata/schemas';

export type ColumnType =
  | 'text'
  | 'uuid'
  | 'text[]'
  | 'uuid[]'
  | 'numeric(19,4)'
  | 'timestamptz'
  | 'boolean'
  | 'integer';

export interface Column {
  name: string;
  type: ColumnType;
  /** True if it is shown as `null` without a value; other columns are then left out. */
  isNullable?: boolean;
  /** Callers that may write it; undefined if only the service sets it. */
  writableBy?: 'everyone' | 'workflows';
}

/** Values by column. */
export type Row = Record<string, unknown>;

/** The column types whose values arrive with the type of the field. */
type TypeFor<Value> = Value extends string
  ? 'text' | 'uuid' | 'timestamptz'
  : Value extends number
    ? 'numeric(19,4)' | 'integer'
    : Value extends boolean
      ? 'boolean'
      : Value extends readonly string[]
        ? 'text[]' | 'uuid[]'
        : never;

/** The column type of each field; a missing or undeclared field does not compile. */
export type Columns<R extends Resource> = {
  readonly [Name in keyof R['fields']]: TypeFor<FieldValue<R['fields'][Name]>>;
};

/**
 * Column with the id in another CRM. Callers of the API read it; only workflows, which connect records to that CRM,
 * write it.
 */
const crmId: Column = { name: 'crm_id', type: 'text', writableBy: 'workflows' };

const createdAndUpdated: Column[] = [
  { name: 'created_at', type: 'timestamptz', isNullable: true },
  { name: 'updated_at', type: 'timestamptz', isNullable: true },
];

/** Returns all columns except the id, in the order in which records show them. */
export function columnsOf({ fields, hasCrmId }: Resource, types: Readonly<Record<string, ColumnType>>): Column[] {
  const own = Object.entries(types).map(([name, type]): Column => {
    const { kind } = fields[name]!;
    return {
      name,
      type,
      ...(kind === 'nullable' && { isNullable: true }),
      ...(kind !== 'fixed' && { writableBy: 'everyone' }),
    };
  });
  return [...own, ...(hasCrmId ? [crmId] : []), ...createdAndUpdated];
}
