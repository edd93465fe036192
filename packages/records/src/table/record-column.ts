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
  /** Shown as `null` where it has no value; other columns are left out then. */
  isNullable?: boolean;
  /** Who may write it; the service sets a column that has no writer. */
  writableBy?: 'everyone' | 'workflows';
}

/** Values by column. */
export type Row = Record<string, unknown>;

/** The types whose values arrive as the field says. */
type TypeFor<Value> = Value extends string
  ? 'text' | 'uuid' | 'timestamptz'
  : Value extends number
    ? 'numeric(19,4)' | 'integer'
    : Value extends boolean
      ? 'boolean'
      : Value extends readonly string[]
        ? 'text[]' | 'uuid[]'
        : never;

/** The type of the column of each field: one that is missing does not compile, nor does one that is no field. */
export type Columns<R extends Resource> = {
  readonly [Name in keyof R['fields']]: TypeFor<FieldValue<R['fields'][Name]>>;
};

/** Callers of the API read it; only workflows, which tie records to another CRM, write it. */
const crmId: Column = { name: 'crm_id', type: 'text', writableBy: 'workflows' };

const createdAndUpdated: Column[] = [
  { name: 'created_at', type: 'timestamptz', isNullable: true },
  { name: 'updated_at', type: 'timestamptz', isNullable: true },
];

/** Every column but the id, in the order in which records show them. */
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
