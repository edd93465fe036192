import { z } from 'zod';
import { queryInteger } from '../../fields/numbers.ts';
import { instant } from '../../fields/instant.ts';
import { uuid } from '../../fields/text.ts';

export const id = z.string().meta({ format: 'uuid' });

/** The query of a list that is read from the newest on: a page, and what is older than the last of it by `before`. */
export const pageQuery = {
  limit: queryInteger({ min: 1, max: 100 }).default(50),
  before: uuid().optional(),
};

/** Of a list whose order is that of time. */
export const timeQuery = {
  from: instant().optional(),
  to: instant().optional(),
};

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item),
    has_more: z.boolean(),
  });
}

/** A page of a list that can be filtered by what no index serves. */
export function searchPageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    ...pageOf(item).shape,
    /** The `before` of the next page. One page looks at 10,000 rows at most, so it may be empty. */
    next: id.nullable(),
  });
}

/** A list that has no pages, since it is never long. */
export function allOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item) });
}

/** The answer of what has nothing to show. */
export const done = z.object({ data: z.object({}) });

export const time = z.string().meta({ format: 'date-time' });
