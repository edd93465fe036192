import { z } from 'zod';
import { queryInteger } from '../fields/numbers.ts';
import type { Shape } from '../fields/field.ts';
import { type ListSpec, sortsOf } from './list-spec.ts';

export const limit = queryInteger({ min: 1, max: 100 })
  .default(25)
  .meta({
    description:
      'Maximum number of records in a page. A page of more than 1 MB ends earlier: continue with `next_cursor`, or ' +
      'with `offset` plus the length of `data`, while `has_more` is true.',
    param: { example: 25 },
  });

/** `contract` has the names of the filters that may be combined with any `offset`. */
const offset = (contract: readonly string[]) =>
  z
    .preprocess((value) => (value === '' ? 0 : value), queryInteger({ min: 0 }))
    .optional()
    .meta({
      description:
        `Number of records to skip; empty means 0. At most 10,000 together with a parameter other than ` +
        `${listed(['limit', ...contract])}. Use \`cursor\` for deep pages: only cursors ` +
        'return each record exactly once while others are created.',
      type: ['integer', 'null'],
      minimum: 0,
      default: 0,
      param: { example: 0 },
    });

const listed = (names: readonly string[]) =>
  names
    .map((name) => `\`${name}\``)
    .join(', ')
    .replace(/, ([^,]*)$/, ' and $1');

const sort = (spec: ListSpec) =>
  z
    .enum(sortsOf(spec))
    .optional()
    .meta({
      description:
        'Order of the records. `-` sorts in descending order; `-id` starts with the newest record. Records without a value ' +
        'come last in both orders; equal records are sorted by id in the same direction.',
      default: 'id',
    });

export const cursor = z
  .string()
  .optional()
  .meta({
    description:
      'The `next_cursor` of the page before. It belongs to the list, its filters and its `sort`; `limit`, `count`, `expand` and ' +
      '`fields` may change. Every record that exists throughout is returned exactly once.',
  });

const count = z
  .enum(['exact', 'none'])
  .optional()
  .meta({
    description:
      'By default, more than 10,000 matches of a filter are not counted: `total` is then 10000, and `total_relation` is ' +
      '`gte`. `exact` counts them all, for at most 5 s. `none` counts nothing: `total` is the number of records up to the ' +
      'end of this page, plus one if more follow.',
  });

/** Parameters of every list other than its filters and the contract's `limit` and `offset`. */
export const listParameters = ['sort', 'cursor', 'count', 'expand', 'fields'] as const;

/**
 * Returns the query of a list: its paging, its order, the filters of the contract, and parameters that were added
 * later. Each parameter may be given once, except `[in]`, `[any]` and `[all]`.
 */
export function listQuery<Filters extends z.ZodRawShape>(filters: Filters, spec: ListSpec, added: Shape) {
  return z.strictObject({
    limit,
    offset: offset(Object.keys(filters)),
    ...filters,
    sort: sort(spec),
    cursor,
    count,
    ...added,
  });
}

/** Describes a page with the total number of matching rows. */
export function listSchema<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item),
    total: z.int().min(0).meta({ description: 'Records that match, before paging; exact without `total_relation`.' }),
    total_relation: z.literal('gte').optional().meta({
      description: 'Present if `total` is a lower bound: more than 10,000 records match, or `count` is `none`.',
    }),
    limit: z.int().min(1).max(100),
    offset: z.int().min(0).meta({ description: '0 with a `cursor`.' }),
    has_more: z.boolean().meta({ description: 'True if there are more records after this page.' }),
    next_cursor: z
      .string()
      .optional()
      .meta({ description: 'Cursor of the next page; absent on the last page. It contains a value of a record.' }),
  });
}

export function dataSchema<Item extends z.ZodType>(item: Item) {
  return z.object({ data: item });
}
