import { z } from 'zod';

const dryRun = z.enum(['true', 'false']).optional().meta({
  description: '`true`: everything is checked and done, then undone. The answer is what it would have been.',
});

/** Query of every write. */
export const writeQuery = z.strictObject({ dry_run: dryRun });

export type WriteQuery = z.output<typeof writeQuery>;

/** Field of a response to a dry run. */
export const tried = {
  dry_run: z.literal(true).optional().meta({ description: 'Nothing was done: the request said `dry_run=true`.' }),
};

/** Describes a response with the written record. */
export function writtenOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: item, meta: z.object(tried).optional() });
}
