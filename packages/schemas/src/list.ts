import { z } from 'zod';
import { queryInteger } from './fields/numbers.ts';

const limit = queryInteger({ min: 1, max: 100 })
  .default(25)
  .meta({
    description:
      'Maximum number of records in a page. A page of more than 1 MB ends earlier: continue with `offset` ' +
      'plus the length of `data` while `has_more` is true.',
    param: { example: 25 },
  });

const offset = z
  .preprocess((value) => (value === '' ? 0 : value), queryInteger({ min: 0 }))
  .default(0)
  .meta({
    description: 'Number of records to skip. Empty means 0.',
    type: ['integer', 'null'],
    minimum: 0,
    default: 0,
    param: { example: 0 },
  });

/** Returns the query of a list: `limit`, `offset` and the given filters. */
export function listQuery<Filters extends z.ZodRawShape>(filters: Filters) {
  return z.strictObject({ limit, offset, ...filters });
}

/** Describes a page with the total number of matching rows. */
export function listSchema<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item),
    total: z.int().min(0).meta({ description: 'Rows that match, before paging; exact.' }),
    limit: z.int().min(1).max(100),
    offset: z.int().min(0),
    has_more: z.boolean().meta({ description: 'True if there are more records after this page.' }),
  });
}

export function dataSchema<Item extends z.ZodType>(item: Item) {
  return z.object({ data: item });
}
