import { z } from 'zod';

const dryRun = z.enum(['true', 'false']).optional().meta({
  description: '`true`: everything is checked and done, then undone. The answer is what it would have been.',
});

/** The query of every write. */
export const writeQuery = z.strictObject({ dry_run: dryRun });

export type WriteQuery = z.output<typeof writeQuery>;

/** What an answer says of a write that was only tried. */
export const tried = {
  dry_run: z.literal(true).optional().meta({ description: 'Nothing was done: the request said `dry_run=true`.' }),
};

/** One record, as a write left it. */
export function writtenOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: item, meta: z.object(tried).optional() });
}
