import type { ErrorDetail } from '../errors/error-body.ts';
import { listParameters } from './list.ts';
import { listFilters, type ListSpec, searchParameter, takesMany } from './list-spec.ts';

/** Maximum `offset` in a query that has a parameter outside the contract; deeper pages need a cursor. */
const offsetMax = 10_000;

/** Maximum length of a cursor, in characters. */
const cursorMax = 1_024;

/** Maximum number of filters in a request. */
const conditionsMax = 8;

type Query = Readonly<Record<string, unknown>>;

/** Parameters of the contract besides its filters. Lists had these parameters before sorting and cursors were added. */
const contractParameters = ['limit', 'offset'];

/**
 * Returns a function that finds the problems of a query that the schema of one parameter cannot find: problems across
 * several parameters, and problems with their own error code. `contract` has the names of the contract's filters. A
 * query with only contract parameters has no problems here, so that old clients get the same answers as before.
 * Problems of `sort` are not found here, since only the database knows which orders work.
 */
export function listProblems(spec: ListSpec, contract: readonly string[]): (query: Query) => ErrorDetail[] {
  const known = new Set([...contractParameters, ...contract]);
  const isCondition = conditionsOf(spec, contract);
  const conditions = conditionProblems(spec, contract);
  const isNew = (name: string) => listParameters.some((each) => each === name) || isCondition(name);
  return (query) => {
    const names = Object.keys(query);
    if (!names.some((name) => !known.has(name) && isNew(name))) return [];
    return [...withRepeated(query, [cursorProblem(query), offsetProblem(query)], spec), ...conditions(query)];
  };
}

/** Returns a function that tells whether a parameter is a filter or the search. */
function conditionsOf(spec: ListSpec, contract: readonly string[]): (name: string) => boolean {
  const names = new Set([...contract, ...listFilters(spec).keys(), ...(spec.search ? [searchParameter] : [])]);
  return (name) => names.has(name);
}

/** Returns a function that returns a problem for each filter of a query beyond the maximum. */
export function conditionProblems(spec: ListSpec, contract: readonly string[]): (query: Query) => ErrorDetail[] {
  const isCondition = conditionsOf(spec, contract);
  return (query) => Object.keys(query).filter(isCondition).slice(conditionsMax).map(tooMany);
}

/**
 * Returns a problem for each parameter that is given several times but accepts only one value, and those of `problems`
 * that concern other parameters.
 */
export function withRepeated(
  query: Query,
  problems: readonly (ErrorDetail | undefined)[] = [],
  spec?: ListSpec,
): ErrorDetail[] {
  const filters = spec && listFilters(spec);
  const isMany = (name: string) => takesMany(filters?.get(name)?.operator ?? 'equals');
  const repeated = Object.keys(query).filter((name) => Array.isArray(query[name]) && !isMany(name));
  return [
    ...repeated.map((name) => conflict(name, 'Must be given once.')),
    ...problems.flatMap((each) => (each && !repeated.includes(each.field) ? [each] : [])),
  ];
}

/** Returns the problems of a query that has a cursor and no parameter with several values. */
export const pagingProblems = (query: Query): ErrorDetail[] => withRepeated(query, [cursorProblem(query)]);

/** Returns the problem of a sort that the list does not support now. */
export function unsupportedSort(sorts: readonly string[]): ErrorDetail {
  const message = `Must be one of: ${sorts.join(', ')}.`;
  return { in: 'query', field: 'sort', code: 'unsupported_sort', message, allowed: [...sorts] };
}

/**
 * Returns the problem of a filter whose index does not exist or is being built. `allowed` has the names of the filters
 * that work now.
 */
export function unsupportedFilter(field: string, allowed: readonly string[]): ErrorDetail {
  const message = `Its index does not exist or is being built. Available: ${allowed.join(', ')}.`;
  return { in: 'query', field, code: 'unsupported_filter', message, allowed: [...allowed] };
}

/** Returns the problem of a cursor that this API cannot have created. */
function cursorProblem({ cursor }: Query): ErrorDetail | undefined {
  if (cursor === undefined) return undefined;
  return typeof cursor === 'string' && /^[\w-]+$/.test(cursor) && cursor.length <= cursorMax
    ? undefined
    : invalidCursor;
}

/**
 * Problem of a cursor from another list, or from the same list with other filters or in another order. The parameter
 * `by` belongs to lists of duplicates.
 */
export const invalidCursor: ErrorDetail = {
  in: 'query',
  field: 'cursor',
  code: 'invalid_cursor',
  message: 'Must be the `next_cursor` of a page of this list, with the same filters, and the same `sort` or `by`.',
};

function offsetProblem({ offset, cursor }: Query): ErrorDetail | undefined {
  if (offset === undefined) return undefined;
  if (cursor !== undefined) return conflict('offset', 'Cannot be combined with `cursor`.');
  if (typeof offset !== 'string' || !/^\d+$/.test(offset) || Number(offset) <= offsetMax) return undefined;
  const message = 'Must be at most 10,000 with these parameters. Use `cursor` for deep pages.';
  return { in: 'query', field: 'offset', code: 'out_of_range', message };
}

/** Returns the problem of a parameter that cannot be combined with another parameter, or that is given twice. */
export function conflict(field: string, message: string): ErrorDetail {
  return { in: 'query', field, code: 'conflicting_parameters', message };
}

function tooMany(field: string): ErrorDetail {
  return { in: 'query', field, code: 'too_many', message: `A request may have at most ${conditionsMax} filters.` };
}
