import { z } from 'zod';
import { customActivity } from '../custom-activity.ts';
import { pagingProblems } from '../lists/list-problems.ts';
import { instant, timestamp } from '../fields/instant.ts';
import { pathId } from '../fields/path-id.ts';
import { uuid } from '../fields/text.ts';
import { cursor, dataSchema, limit, listSchema } from '../lists/list.ts';
import { operation } from '../operation.ts';
import type { Resource } from '../resource.ts';
import * as records from '../resources/index.ts';
import { recordCounts } from '../writes/delete.schema.ts';
import { tried, writeQuery } from '../writes/write.schema.ts';

const kept = [...Object.values<Resource>(records), customActivity].filter(({ goesToTrash }) => goesToTrash);

/** Kinds of records that a delete moves to the trash, as the types of their events name them. */
export const trashedKinds = kept.map(({ eventName }) => eventName);

const record = z.union(kept.map((each) => each.record));

const TrashEntry = z
  .object({
    id: z.string().meta({ format: 'uuid', description: 'Id of the record.' }),
    resource: z.enum(trashedKinds).meta({ description: 'Kind of the record.' }),
    deletion_id: z
      .string()
      .meta({ format: 'uuid', description: 'Identifies the delete; it is the same for all records of a cascade.' }),
    deleted_at: timestamp('When the record was deleted.'),
    purge_at: timestamp('When the record will be removed from the trash.'),
    merged_into: z
      .string()
      .nullable()
      .meta({ format: 'uuid', description: 'The record that it was merged into; `null` if it was deleted.' }),
    record: record.meta({ description: 'The record as it was.' }),
  })
  .meta({ id: 'TrashEntry', description: 'A deleted record.' });

export type TrashEntry = z.output<typeof TrashEntry>;

/** Filters of a list of deleted records. */
export const trashFilters = {
  resource: z.enum(trashedKinds).optional().meta({ description: 'Only records of this kind.' }),
  deletion_id: uuid().optional().meta({ description: 'Only records with this deletion id.' }),
  'deleted_at[gte]': instant().optional().meta({ description: 'Only records deleted at or after this time.' }),
  'deleted_at[lt]': instant().optional().meta({ description: 'Only records deleted before this time.' }),
};

const query = z.strictObject({ limit, cursor, ...trashFilters });

export type TrashQuery = z.output<typeof query>;

const entries = listSchema(TrashEntry).extend({
  total: z.int().min(0).meta({ description: 'Number of matching records, counted up to 10,000.' }),
  total_relation: z.literal('gte').optional().meta({ description: 'Present if more records match.' }),
  offset: z.literal(0),
});

const tag = 'Trash';

export const listTrash = operation({
  id: 'listTrash',
  method: 'get',
  path: '/v1/trash',
  tag,
  summary: 'List deleted records',
  description: 'The newest deletion comes first.',
  scope: 'records:delete',
  query,
  queryProblems: pagingProblems,
  success: { status: 200, description: 'A page of deleted records.', body: entries },
});

export const getTrashEntry = operation({
  id: 'getTrashEntry',
  method: 'get',
  path: '/v1/trash/{id}',
  tag,
  summary: 'Read a deleted record',
  scope: 'records:delete',
  params: pathId,
  success: { status: 200, description: 'The deleted record.', body: dataSchema(TrashEntry) },
});

/** A reference that a restore could not bring back. */
export const dropped = z.object({
  id: z.string().meta({ format: 'uuid', description: 'Id of the record whose field lacks the value.' }),
  field: z.string(),
  value: z.string().meta({ format: 'uuid', description: 'Id that the field had before.' }),
});

export const restoreFromTrash = operation({
  id: 'restoreFromTrash',
  method: 'post',
  path: '/v1/trash/{id}/restore',
  tag,
  summary: 'Restore a deleted record',
  description:
    'Restores the record with its id, the records that its delete included, and the links of other records to them. ' +
    'A reference to a record that no longer exists is cleared.',
  isWrite: true,
  transaction: 'bulk',
  hasVersion: true,
  takesIfMatch: true,
  scope: 'records:delete',
  params: pathId,
  query: writeQuery,
  success: {
    status: 200,
    description: 'The record after the restore.',
    body: z.object({
      data: record,
      meta: z.object({
        action: z.literal('restored'),
        restored: recordCounts.meta({ description: 'Number of other records restored with it, by kind.' }),
        relinked: recordCounts.meta({ description: 'Number of other records whose links were restored, by kind.' }),
        dropped: z.array(dropped).meta({ description: 'References that could not be restored.' }),
        ...tried,
      }),
    }),
  },
  errors: ['too_many_linked'],
});
