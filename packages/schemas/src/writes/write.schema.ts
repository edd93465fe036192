import { z } from 'zod';

const dryRun = z.enum(['true', 'false']).optional().meta({
  description:
    'If `true`, the request is checked, executed and rolled back. The answer is the one that it would get without `dry_run`.',
});

export const writeQuery = z.strictObject({ dry_run: dryRun });

export type WriteQuery = z.output<typeof writeQuery>;

/** Field of a response to a dry run. */
export const tried = {
  dry_run: z
    .literal(true)
    .optional()
    .meta({ description: 'Present if the request had `dry_run=true`, so that nothing was stored.' }),
};

/** Field of a response to a write whose body has a `crm_id` that was not stored. */
export const ignored = {
  ignored: z.array(z.literal('crm_id')).optional().meta({
    description: 'Present if the `crm_id` in the body differs from that of the record: only an upsert sets it.',
  }),
};

/** Describes a response with the written record. */
export function writtenSchema<Item extends z.ZodType>(item: Item) {
  return z.object({ data: item, meta: z.object({ ...ignored, ...tried }).optional() });
}
