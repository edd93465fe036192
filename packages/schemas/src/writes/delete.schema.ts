import { z } from 'zod';
import { timestamp } from '../fields/instant.ts';
import { tried, writeQuery } from './write.schema.ts';

/** Query of a delete that may include records that cannot exist without the deleted record. */
export const cascadeQuery = writeQuery.extend({
  cascade: z.enum(['true', 'false']).optional().meta({
    description: 'If `true`, records that cannot exist without it are deleted, too. Otherwise they prevent the delete.',
  }),
});

export const recordCounts = z.record(z.string(), z.int().min(0));

/** Members of `meta` after a delete. */
export const deletion = {
  deletion_id: z
    .string()
    .meta({ format: 'uuid', description: 'Identifies the delete; it is the same for all records of a cascade.' }),
  deleted_at: timestamp('When the record was deleted.'),
  purge_at: timestamp('When the record will be removed from the trash.'),
  unlinked: recordCounts.meta({ description: 'Number of other records whose links were cleared, by kind.' }),
  deleted: recordCounts.optional().meta({ description: 'Number of other records deleted with it, by kind.' }),
};

/** Describes a response with a record that was deleted without going to the trash. */
export function removedSchema<Item extends z.ZodType>(item: Item) {
  const moved = z.object({ opportunities: z.int().min(0) });
  const meta = {
    action: z.literal('deleted'),
    moved: moved.meta({ description: 'Number of opportunities that `move_to` moved to another stage.' }),
    ...tried,
  };
  return z.object({ data: item, meta: z.object(meta) });
}

/** Describes a response with a deleted record. */
export function deletedSchema<Item extends z.ZodType>(item: Item) {
  return z.object({ data: item, meta: z.object({ action: z.literal('deleted'), ...deletion, ...tried }) });
}
