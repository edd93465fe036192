import type { Fields } from '../fields/field.ts';

/** Operators for ranges of times and numbers. */
export const ofRange = ['gt', 'gte', 'lt', 'lte'] as const;

/**
 * How a filter compares a field with its value. `equals` is not written (`owner_id=…`); all others are written in
 * brackets (`owner_id[in]=…`).
 */
export type FilterOperator = 'equals' | 'in' | 'any' | 'all' | 'prefix' | 'exists' | (typeof ofRange)[number];

/** Fields that every list may use besides those of its resource. */
type CommonField = 'id' | 'crm_id' | 'created_at' | 'updated_at';

/** Orders and filters of a list. Its parameters, conditions, indexes and documentation are derived from them. */
export interface ListSpec<Field extends string = string> {
  /** Fields by which the list can be sorted, besides the id. */
  sorts?: readonly Field[];
  /** Operators by field. */
  filters: { readonly [Each in Field]?: readonly FilterOperator[] };
  /** Fields whose words `q` searches; without them, there is no `q`. */
  search?: readonly Field[];
}

/** `contact_id` for the field `contact_ids`: a filter for the records whose list has this id. */
type LinkFilter<Field> = Field extends `${infer Name}_ids` ? `${Name}_id` : never;

/** A list specification whose fields exist in the resource. */
export type ListSpecOf<F extends Fields> = ListSpec<Extract<keyof F, string> | LinkFilter<keyof F> | CommonField>;

/** Operators of a field that holds one of several known values, or the id of a record. */
export const ofValue = ['equals', 'in', 'exists'] as const;

/** A filter of a list. */
export interface ListFilter {
  /** Name of its parameter: `owner_id[in]`. */
  name: string;
  field: string;
  operator: FilterOperator;
}

/** Name of the parameter for full-text search. */
export const searchParameter = 'q';

const filterName = (field: string, operator: FilterOperator) =>
  operator === 'equals' ? field : `${field}[${operator}]`;

const filtersOf = new WeakMap<ListSpec, ReadonlyMap<string, ListFilter>>();

/** Returns the filters of a list by the names of their parameters. */
export function listFilters(spec: ListSpec): ReadonlyMap<string, ListFilter> {
  return filtersOf.getOrInsertComputed(spec, ({ filters }) => {
    const all = Object.entries(filters).flatMap(([field, operators = []]) =>
      operators.map((operator): ListFilter => ({ name: filterName(field, operator), field, operator })),
    );
    return new Map(all.map((filter) => [filter.name, filter]));
  });
}

/** Returns true for operators whose parameter may be repeated. */
export const takesMany = (operator: FilterOperator) => operator === 'in' || operator === 'any' || operator === 'all';

/** Returns the values of `sort` that a list allows. */
export function sortsOf({ sorts = [] }: ListSpec): readonly [string, ...string[]] {
  return ['id', '-id', ...sorts.flatMap((field) => [field, `-${field}`])];
}
