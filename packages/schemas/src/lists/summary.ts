import { z } from 'zod';
import type { ErrorDetail } from '../errors/error-body.ts';
import { optionals, type Shape } from '../fields/field.ts';
import { queryInteger } from '../fields/numbers.ts';
import { operation } from '../operation.ts';
import { type Answered, type Kind, type Listed, pascal, resourcePath, words } from '../resource.operations.ts';
import { expandedMembers, type Expansion, expandParameter } from './expansion.ts';
import { filterSchemas } from './filter-schema.ts';
import { conditionProblems, unsupportedSort, withRepeated } from './list-problems.ts';

type Summarized = Kind & Listed<Shape> & Answered<z.ZodObject>;

/** Names that a parameter accepts. */
type Names<Name extends string = string> = readonly [Name, ...Name[]];

interface Summary<Field extends string = string> {
  /** Fields whose values form groups. */
  groups: Names<Field>;
  /** Fields that can be added up. */
  figures: Names<Field>;
}

/** Declares the operation that counts and adds up the records of a list, with the filters of the list. */
export function summaryOperation<R extends Summarized>(
  resource: R,
  summary: Summary<Extract<keyof R['fields'], string>>,
) {
  const { plural, tag, fields, filters, list } = resource;
  const expansions = expansionsFor(resource, summary);
  return operation({
    id: `summarize${pascal<R['plural']>(plural)}`,
    method: 'get',
    path: `${resourcePath(plural)}/summary`,
    tag: tag.name,
    summary: `Count and add up ${words(plural)}`,
    description:
      'With `count=exact`, or if at most 10,000 records match, all figures are exact and from one moment. Otherwise ' +
      'each `count` is a lower bound, and sums and averages are `null`.',
    scope: 'records:read',
    query: z.strictObject({
      ...summaryParameters(summary),
      ...expandParameter(Object.keys(expansions)),
      ...optionals(filters),
      ...filterSchemas(list, fields),
    }),
    queryProblems: summaryProblems(resource, expansions),
    success: {
      status: 200,
      description: `Figures of the ${words(plural)}.`,
      body: summarySchema(resource, summary, expansions),
    },
  });
}

type Expansions = Readonly<Record<string, Expansion>>;

/** Returns the expansions of the fields that form groups. */
function expansionsFor({ expansions }: Summarized, { groups }: Summary): Expansions {
  return Object.fromEntries(
    Object.entries(expansions).filter(([, { field }]) => field !== undefined && groups.includes(field)),
  );
}

const sorts = ['-count', 'count', '-sum', 'sum'] as const;
/** Orders that do not need the parameter `sum`. */
const countSorts = sorts.slice(0, 2);

function summaryParameters({ groups, figures }: Summary) {
  const figure = (what: string) =>
    z
      .enum(figures)
      .optional()
      .meta({ description: `The field whose ${what} is returned.` });
  return {
    group_by: z
      .enum(groups)
      .optional()
      .meta({ description: 'Field whose values form the groups in `data`. Without it, there is only `all`.' }),
    sum: figure('sum'),
    avg: figure('average'),
    sort: z
      .enum(sorts)
      .default('-count')
      .meta({
        description:
          'Order of the groups; `-sum` and `sum` need the parameter `sum`. Equal groups are in the order of their values, ' +
          'with `null` last.',
      }),
    limit: queryInteger({ min: 1, max: 100 })
      .default(100)
      .meta({
        description: 'Maximum number of groups. Fewer are returned if they would exceed 1 MB.',
        param: { example: 10 },
      }),
    count: z.enum(['exact']).optional().meta({
      description: '`exact` reads all matches, for at most 5 s, instead of the first 10,000.',
    }),
  };
}

/** Returns a function that finds problems of a query that concern several parameters or have their own error code. */
function summaryProblems({ list, filters }: Summarized, expansions: Expansions) {
  const conditions = conditionProblems(list, Object.keys(filters));
  return (query: Readonly<Record<string, unknown>>): ErrorDetail[] => [
    ...withRepeated(query, [sortProblem(query), expandProblem(query, expansions)], list),
    ...conditions(query),
  ];
}

function sortProblem({ sort = '-count', sum }: Readonly<Record<string, unknown>>): ErrorDetail | undefined {
  const allowed = sum === undefined ? countSorts : sorts;
  return allowed.some((each) => each === sort) ? undefined : unsupportedSort(allowed);
}

function expandProblem(query: Readonly<Record<string, unknown>>, expansions: Expansions): ErrorDetail | undefined {
  const { expand, group_by: group } = query;
  if (typeof expand !== 'string') return undefined;
  const allowed = Object.keys(expansions).filter((name) => expansions[name]!.field === group);
  if (expand.split(',').every((name) => allowed.includes(name))) return undefined;
  const groups = Object.values(expansions).map(({ field }) => `\`group_by=${field}\``);
  const message =
    allowed.length > 0 ? `Must be ${allowed[0]} with this \`group_by\`.` : `Needs ${groups.join(' or ')}.`;
  return { in: 'query', field: 'expand', code: 'invalid_enum', message, allowed };
}

function summarySchema({ name, plural, fields }: Summarized, { groups, figures }: Summary, expansions: Expansions) {
  const numbers = z.object(Object.fromEntries(figures.map((figure) => [figure, z.number().nullable()])));
  const amounts = {
    count: z
      .int()
      .min(0)
      .meta({ description: `Number of ${words(plural)}.` }),
    sum: numbers.optional().meta({
      description:
        'Present if requested. Exact, with up to 4 decimals; 0 if no record has a value. `null` if `total` is a lower bound.',
    }),
    avg: numbers.optional().meta({
      description:
        'Present if requested. Average of the records with a value, rounded half away from zero to 4 decimals. `null` if ' +
        'no record has a value, or if `total` is a lower bound.',
    }),
  };
  const values = groups.map((group) => [group, fields[group]!.schema.nullable().optional()]);
  const group = z
    .object({ ...(Object.fromEntries(values) as Shape), ...amounts, ...expandedMembers(expansions) })
    .meta({ id: `${pascal(name)}Group`, description: `Figures of the ${words(plural)} with the same value.` });
  const all = z
    .object(amounts)
    .meta({ id: `${pascal(name)}Figures`, description: `Figures of all matching ${words(plural)}.` });
  return z.object({
    data: z.array(group),
    all,
    total: z.int().min(0).meta({ description: 'Number of matches; exact without `total_relation`.' }),
    total_relation: z
      .literal('gte')
      .optional()
      .meta({ description: 'Present if `total` is a lower bound: more than 10,000 records match.' }),
    limit: z.int().min(1).max(100),
    has_more: z.boolean().meta({ description: 'True if there are, or may be, more groups.' }),
  });
}
