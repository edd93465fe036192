import type { ErrorDetail } from './errors/error-body.ts';
import { listParameters, sorts } from './list.ts';

/** Largest `offset` beside a parameter of `listParameters`; further pages need a cursor. */
const offsetMax = 10_000;

/** Length of a cursor, in characters. */
const cursorMax = 1_024;

type Query = Readonly<Record<string, unknown>>;

/**
 * Returns the problems of a query that concern several parameters of a list, or a value whose error is its own. A query
 * without one of `listParameters` has none, so that lists answer it as they always did.
 */
export function listProblems(query: Query): ErrorDetail[] {
  const names = Object.keys(query);
  if (!names.some((name) => Object.hasOwn(listParameters, name))) return [];
  const repeated = names.filter((name) => Array.isArray(query[name]));
  return [
    ...repeated.map((name) => conflict(name, 'Must be given once.')),
    ...[sortProblem(query), cursorProblem(query), offsetProblem(query)].flatMap((each) =>
      each && !repeated.includes(each.field) ? [each] : [],
    ),
  ];
}

function sortProblem({ sort }: Query): ErrorDetail | undefined {
  if (sort === undefined || sorts.some((each) => each === sort)) return undefined;
  const message = `Must be one of: ${sorts.join(', ')}.`;
  return { in: 'query', field: 'sort', code: 'unsupported_sort', message, allowed: [...sorts] };
}

function cursorProblem({ cursor }: Query): ErrorDetail | undefined {
  if (cursor === undefined) return undefined;
  return typeof cursor === 'string' && /^[\w-]+$/.test(cursor) && cursor.length <= cursorMax
    ? undefined
    : invalidCursor;
}

/** Problem of a cursor that is none of this list, with these filters and in this order. */
export const invalidCursor: ErrorDetail = {
  in: 'query',
  field: 'cursor',
  code: 'invalid_cursor',
  message: 'Must be the `next_cursor` of a page of this list, with the same filters and the same `sort`.',
};

function offsetProblem({ offset, cursor }: Query): ErrorDetail | undefined {
  if (offset === undefined) return undefined;
  if (cursor !== undefined) return conflict('offset', 'Cannot be combined with `cursor`.');
  if (typeof offset !== 'string' || !/^\d+$/.test(offset) || Number(offset) <= offsetMax) return undefined;
  const message = 'Must be at most 10,000 with these parameters. Use `cursor` for deep pages.';
  return { in: 'query', field: 'offset', code: 'out_of_range', message };
}

function conflict(field: string, message: string): ErrorDetail {
  return { in: 'query', field, code: 'conflicting_parameters', message };
}
