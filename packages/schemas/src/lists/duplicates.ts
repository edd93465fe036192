import { z } from 'zod';
import { queryInteger } from '../fields/numbers.ts';
import { operation } from '../operation.ts';
import { type Kind, pascal, resourcePath, words } from '../resource.operations.ts';
import { pagingProblems } from './list-problems.ts';

/** Ways to compare records, by name, each with its description. */
export type Comparisons<Name extends string = string> = Readonly<Record<Name, string>>;

/** Maximum number of ids of a group that are returned. */
export const duplicateIdsMax = 20;

/** Maximum number of index entries that one request for duplicates reads. */
export const duplicateEntriesMax = 20_000;

/** Declares the operation that finds groups of records with equal values. */
export function duplicatesOperation<K extends Kind, Name extends string>(
  { name, plural, tag }: K,
  comparisons: Comparisons<Name>,
) {
  const [first, ...others] = Object.keys(comparisons) as [Name, ...Name[]];
  const group = z
    .object({
      value: z.string().meta({ description: 'The common value, as it is compared.' }),
      count: z.int().min(2).max(duplicateEntriesMax).meta({ description: 'Number of records.' }),
      count_relation: z.literal('gte').optional().meta({
        description:
          'Present if `count` is a lower bound: more than 20,000 records have the value, or 2,000 if counting takes too long.',
      }),
      ids: z
        .array(z.string().meta({ format: 'uuid' }))
        .max(duplicateIdsMax)
        .meta({ description: `Ids of up to ${duplicateIdsMax} of the records, the oldest first.` }),
    })
    .meta({ id: `${pascal(name)}Duplicates`, description: `${words(pascal(plural))} with the same value.` });
  return operation({
    id: `find${pascal<K['name']>(name)}Duplicates`,
    method: 'get',
    path: `${resourcePath(plural)}/duplicates`,
    tag: tag.name,
    summary: `Find duplicate ${words(plural)}`,
    description:
      'Returns groups of two or more records with the same value, in a stable order that has no meaning. A page ' +
      'may have fewer groups than `limit`, even none, while `has_more` is true: a request reads at most 20,000 index entries. ' +
      'A group is never split.',
    scope: 'records:read',
    query: z.strictObject({
      by: z.enum([first, ...others]).meta({
        description: `What is compared. ${Object.entries(comparisons)
          .map(([by, description]) => `\`${by}\`: ${description as string}`)
          .join(' ')}`,
        param: { example: first },
      }),
      limit: queryInteger({ min: 1, max: 100 })
        .default(25)
        .meta({ description: 'Maximum number of groups in a page.', param: { example: 25 } }),
      cursor: z.string().optional().meta({
        description:
          'The `next_cursor` of the page before. It belongs to the kind of record and to `by`; `limit` may change.',
      }),
    }),
    queryProblems: pagingProblems,
    exampleQuery: `by=${first}`,
    success: {
      status: 200,
      description: `Groups of ${words(plural)}.`,
      body: z.object({
        data: z.array(group),
        next_cursor: z.string().optional().meta({ description: 'Cursor of the next page; absent on the last page.' }),
        has_more: z.boolean().meta({ description: 'True if there are, or may be, more groups.' }),
      }),
    },
  });
}
