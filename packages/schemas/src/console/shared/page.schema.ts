import { z } from 'zod';
import { queryInteger } from '../../fields/numbers.ts';
import { instant } from '../../fields/instant.ts';
import { uuid } from '../../fields/text.ts';

export const id = z.string().meta({ format: 'uuid' });

/** The query of a list that is read from the newest on: a page, and what is older than the last of it by `before`. */
export const pageQuery = {
  limit: queryInteger({ min: 1, max: 100 }).default(50).meta({ description: 'How many a page holds.' }),
  before: uuid().optional().meta({ description: 'Only what is older: the id of the last one of the page before.' }),
};

/** Of a list whose order is that of time. */
export const timeQuery = {
  from: instant().optional().meta({ description: 'Only what was made then or later.' }),
  to: instant().optional().meta({ description: 'Only what was made before.' }),
};

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item),
    has_more: z.boolean().meta({ description: 'Whether there is something older.' }),
  });
}

/** A page of a list that can be filtered by what no index serves. */
export function searchPageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    ...pageOf(item).shape,
    next: id.nullable().meta({
      description:
        'The `before` of the next page. Of a filter 10,000 rows are looked at for one page, which may so be empty.',
    }),
  });
}

/** A list that has no pages, since it is never long. */
export function allOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item) });
}

/** The answer of what has nothing to show. */
export const done = z.object({ data: z.object({}) });

export const time = z.string().meta({ format: 'date-time' });
