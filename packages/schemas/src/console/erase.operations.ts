import { z } from 'zod';
import { dataSchema } from '../lists/list.ts';
import { trashedKinds } from '../trash/trash.ts';
import { recordCounts } from '../writes/delete.schema.ts';
import { consoleOperation } from './shared/console-operation.ts';

const Erasure = z.strictObject({
  resource: z.enum(trashedKinds),
  /** True to erase the opportunities of an account, too. Otherwise they prevent the erase. */
  cascade: z.boolean().default(false),
  /** True to erase all activities that are linked to erased records. */
  activities: z.boolean().default(false),
});

const Erased = z.object({
  events: z.int(),
  activities: z.int(),
  merged_records: z.int(),
  /** Other records whose links to the record are cleared, by kind. */
  unlinked: recordCounts,
  /** Other records that are erased with the record, by kind. */
  erased: recordCounts.optional(),
  /** Present if the counts are only lower bounds. */
  counts_relation: z.literal('gte').optional(),
});

export type Erased = z.output<typeof Erased>;

const erasure = {
  permission: 'manage',
  body: Erasure,
  example: { resource: 'contact' },
  success: { status: 200, body: dataSchema(Erased) },
  errors: ['in_use'],
} as const;

/** Returns what an erase would do: executes it in a transaction that is rolled back. */
export const previewErase = consoleOperation('post', '/orgs/{org}/records/{id}/erase/preview', {
  ...erasure,
  onlyReads: true,
});

/**
 * Erases a record, even if it is in the trash or was purged from it. A large erase may take several calls, which return
 * 503 until the last one.
 */
export const eraseRecord = consoleOperation('post', '/orgs/{org}/records/{id}/erase', erasure);
