import { z } from 'zod';
import { queryInteger } from '../fields/numbers.ts';
import { uuid } from '../fields/text.ts';
import { cursor, dataSchema } from '../lists/list.ts';
import { pagingProblems } from '../lists/list-problems.ts';
import { dropped, trashedKinds, trashFilters } from '../trash/trash.ts';
import { recordCounts } from '../writes/delete.schema.ts';
import { Author } from './shared/author.schema.ts';
import { consoleOperation } from './shared/console-operation.ts';
import { id, pageSchema, time } from './shared/page.schema.ts';

const TrashedRecord = z.object({
  id,
  resource: z.enum(trashedKinds),
  /** At most 120 characters. */
  name: z.string(),
  deletion_id: id,
  deleted_at: time,
  /** Null if the event that names the author has been deleted. */
  deleted_by: Author.nullable(),
  purge_at: time,
  /** The record into which this record was merged. `name` is null if that record is deleted, too. */
  merged_into: z.object({ id, name: z.string().nullable() }).nullable(),
  /** Number of other records in the trash with the same `deletion_id`, counted up to 100. */
  deleted_with: z.int(),
  /** All fields as they were, as in the API. */
  record: z.record(z.string(), z.unknown()),
});

export type TrashedRecord = z.output<typeof TrashedRecord>;

/** Lists deleted records, the newest deletion first. */
export const listTrash = consoleOperation('get', '/orgs/{org}/trash', {
  permission: 'read',
  query: z.strictObject({
    limit: queryInteger({ min: 1, max: 100 }).default(50),
    cursor,
    ...trashFilters,
    /** Only the entry of this record, whatever the other filters are. */
    record_id: uuid().optional(),
  }),
  queryProblems: pagingProblems,
  success: {
    status: 200,
    body: z.object({ ...pageSchema(TrashedRecord).shape, next_cursor: z.string().nullable() }),
  },
});

const Restored = z.object({
  id,
  name: z.string(),
  /** Other records that are restored with the record, by kind. */
  restored: recordCounts,
  /** Other records whose links to the record are restored, by kind. */
  relinked: recordCounts,
  /** References that cannot be restored. */
  dropped: z.array(dropped),
});

export type Restored = z.output<typeof Restored>;

/** Returns what a restore would do: executes it in a transaction that is rolled back. */
export const previewRestore = consoleOperation('get', '/orgs/{org}/trash/{id}/restore', {
  permission: 'work',
  success: { status: 200, body: dataSchema(Restored) },
  errors: ['conflict', 'too_many_linked'],
});

export const restoreFromTrash = consoleOperation('post', '/orgs/{org}/trash/{id}/restore', {
  permission: 'work',
  success: { status: 200, body: dataSchema(Restored) },
  errors: ['conflict', 'too_many_linked'],
});
