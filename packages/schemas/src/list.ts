import { z } from 'zod';
import { queryInteger } from './fields/numbers.ts';

const limit = queryInteger({ min: 1, max: 100 })
  .default(25)
  .meta({
    description:
      'Maximum number of records in a page. A page of more than 1 MB ends earlier: continue with `next_cursor`, or ' +
      'with `offset` plus the length of `data`, while `has_more` is true.',
    param: { example: 25 },
  });

const offset = z
  .preprocess((value) => (value === '' ? 0 : value), queryInteger({ min: 0 }))
  .optional()
  .meta({
    description:
      'Number of records to skip; empty means 0. At most 10,000 together with `sort` or `count`. Use `cursor` for ' +
      'deep pages: only cursors return each record exactly once while others are created.',
    type: ['integer', 'null'],
    minimum: 0,
    default: 0,
    param: { example: 0 },
  });

/** Keys by which every list can be sorted. */
export const sorts = ['id', '-id'] as const;

const sort = z.enum(sorts).optional().meta({
  description: 'Order of the records. `-` sorts in descending order; `-id` starts with the newest record.',
  default: 'id',
});

const cursor = z
  .string()
  .optional()
  .meta({
    description:
      'The `next_cursor` of the page before. It belongs to the list, its filters and its `sort`; `limit` and `count` may ' +
      'change. Every record that exists throughout is returned exactly once.',
  });

const counts = ['exact', 'none'] as const;

const count = z.enum(counts).optional().meta({
  description: '`none` does not count: `total` is then a lower bound, and the page is cheaper.',
  default: 'exact',
});

/** Parameters that a list accepts beside its filters since it can be sorted. Each may be given once. */
export const listParameters = { sort, cursor, count };

/** Returns the query of a list: its paging, its order, and the given filters. */
export function listQuery<Filters extends z.ZodRawShape>(filters: Filters) {
  return z.strictObject({ limit, offset, ...filters, ...listParameters });
}

/** Describes a page with the total number of matching rows. */
export function listSchema<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item),
    total: z.int().min(0).meta({ description: 'Records that match, before paging; exact without `total_relation`.' }),
    total_relation: z.literal('gte').optional().meta({
      description: 'Present if `total` is the number of records up to the end of this page, and one if more follow.',
    }),
    limit: z.int().min(1).max(100),
    offset: z.int().min(0).meta({ description: '0 with a `cursor`.' }),
    has_more: z.boolean().meta({ description: 'True if there are more records after this page.' }),
    next_cursor: z
      .string()
      .optional()
      .meta({ description: 'Cursor of the next page; absent on the last one. It contains a value of a record.' }),
  });
}

export function dataSchema<Item extends z.ZodType>(item: Item) {
  return z.object({ data: item });
}
