import { z } from 'zod';
import { queryInteger } from '../../fields/numbers.ts';
import { instant } from '../../fields/instant.ts';
import { uuid } from '../../fields/text.ts';

export const id = z.string().meta({ format: 'uuid' });

/** Query of a list in descending order of time: `before` is the id of the last item of the previous page. */
export const pageQuery = {
  limit: queryInteger({ min: 1, max: 100 }).default(50),
  before: uuid().optional(),
};

export const timeQuery = {
  from: instant().optional(),
  to: instant().optional(),
};

export function pageSchema<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), has_more: z.boolean() });
}

/** Describes a page of a list whose filters no index serves. */
export function searchPageSchema<Item extends z.ZodType>(item: Item) {
  return z.object({
    ...pageSchema(item).shape,
    /** Value of `before` for the next page. One page examines a bounded number of rows, so it may be empty. */
    next: id.nullable(),
  });
}

/** Describes a list without pages, since it is always short. */
export function wholeListSchema<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item) });
}

/** Response body of an operation that returns no data. */
export const done = z.object({ data: z.object({}) });

export const time = z.string().meta({ format: 'date-time' });

/** An exact count. Null for a period that begins before counts were kept, if it has too many rows to count now. */
export const counted = z.int().nullable();

/** Accepts the number of seconds for which a replaced key or secret stays valid; at most a year. */
export const overlapSeconds = () => z.int().min(0).max(31_536_000);
