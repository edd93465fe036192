import { z } from 'zod';
import { ErrorDetail } from '../errors/error-body.ts';
import { operation } from '../operation.ts';
import { type Kind, pascal, resourcePath, words } from '../resource.operations.ts';
import type { Scope } from '../scopes.ts';
import { written } from './upsert.ts';
import { tried, writeQuery } from './write.schema.ts';

/** Maximum number of items in a batch. */
export const batchItemsMax = 500;

/** Number of items that count as one request against the rate limit of a key. */
export const itemsPerRequest = 10;

export type BatchKind = 'create' | 'update' | 'upsert';

const itemsOf: Record<BatchKind, string> = {
  create: '`create`: the body of a new record',
  update: '`update`: `id`, `set` (a merge patch) and `if_match` (an ETag; optional)',
  upsert: '`upsert`: the body of an upsert',
};

const item = z.looseObject({
  error: z.string(),
  message: z.string(),
  details: z.array(ErrorDetail).optional(),
});

/** Returns the item of a batch of changes; for records that cannot be changed, it has no `set`. */
export function updateItem(update: z.ZodObject | undefined) {
  return z.strictObject({ id: z.string(), set: update ?? z.never(), if_match: z.string().optional() });
}

interface BatchSpec<Rec extends z.ZodObject> {
  record: Rec;
  kinds: readonly [BatchKind, ...BatchKind[]];
  example: Readonly<Record<string, unknown>>;
  path?: `/${string}`;
  scope?: Scope;
}

export function batchOperation<K extends Kind, Rec extends z.ZodObject>(
  { name, plural, tag }: K,
  { record, kinds, example, path = `${resourcePath(plural)}/batch`, scope = 'records:write' }: BatchSpec<Rec>,
) {
  const body = z
    .strictObject({
      operation: z.enum(kinds).meta({ description: 'The operation to perform on every item.' }),
      atomic: z.boolean().default(false).meta({ description: 'If `true`, either all items are applied or none.' }),
      items: z
        .array(z.unknown())
        .min(1)
        .max(batchItemsMax)
        .meta({
          description: `1 to ${batchItemsMax} items. ${kinds.map((kind) => itemsOf[kind]).join('; ')}.`,
          items: { type: 'object' },
        }),
    })
    .meta({ id: `${pascal(name)}Batch` });
  const results = z.array(
    z.object({
      index: z.int(),
      status: z.int().meta({ description: 'The status that the item would have as a single request.' }),
      data: record.optional(),
      meta: written.optional(),
      error: item.optional(),
    }),
  );
  const answer = z.object({
    data: results.meta({ description: 'Results in the order of the items.' }),
    succeeded: z.int(),
    failed: z.int(),
    meta: z.object(tried).optional(),
  });
  return operation({
    id: `batch${pascal<K['plural']>(plural)}`,
    method: 'post',
    path,
    tag: tag.name,
    summary: `Write many ${words(plural)} at once`,
    description:
      `Up to ${batchItemsMax} items; every ${itemsPerRequest} count as one request. ` +
      'Each item is executed as if it were sent alone, and has its own status. ' +
      'With `atomic` or an `Idempotency-Key`, all items are one transaction.',
    isWrite: true,
    hasItems: true,
    scope,
    query: writeQuery,
    body,
    example: { operation: 'create', items: [example] },
    success: { status: 200, description: 'The batch was processed. Each item has its own status.', body: answer },
    errors: ['batch_aborted'],
  });
}
