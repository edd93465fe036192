import { z } from 'zod';
import { etagList } from '../fields/etag-list.ts';
import { optionals } from '../fields/field.ts';
import { ErrorDetail } from '../errors/error-body.ts';
import { operation } from '../operation.ts';
import { type Kind, pascal, resourcePath, words } from '../resource.operations.ts';
import type { Scope } from '../scopes.ts';
import { written } from './upsert.ts';
import { deletion } from './delete.schema.ts';
import { tried, writeQuery } from './write.schema.ts';

/** Maximum number of items in a batch. */
export const batchItemsMax = 500;

/** Number of items that count as one request against the rate limit of a key. */
export const itemsPerRequest = 10;

export type BatchKind = 'create' | 'update' | 'upsert' | 'delete';

const itemsOf: Record<BatchKind, string> = {
  create: 'each is the body of a new record',
  update: 'each has `id`, `set` (a merge patch) and `if_match` (an ETag; optional)',
  upsert: 'each is the body of an upsert',
  delete: 'each has `id` and `if_match` (an ETag; optional)',
};

const item = z.looseObject({
  error: z.string(),
  message: z.string(),
  details: z.array(ErrorDetail).optional(),
});

/** Returns the item of a batch of changes; for records that cannot be changed, it has no `set`. */
export function updateItem(update: z.ZodObject | undefined) {
  return z.strictObject({
    id: recordId,
    set: update ?? z.never(),
    if_match: ifMatch,
  });
}

const ifMatch = etagList()
  .optional()
  .meta({ description: 'An ETag. If the record has another version, the item gets 412.' });

const recordId = z.string().meta({ format: 'uuid', description: 'Id of the record.' });

/** The item of a batch of deletes. */
export const deleteItem = z.strictObject({ id: recordId, if_match: ifMatch }).meta({ id: 'Deletion' });

/** Schemas of the items of a batch, by operation. */
type BatchItems = { readonly [Each in BatchKind]?: z.ZodObject };

interface BatchSpec<Rec extends z.ZodObject> {
  record: Rec;
  items: BatchItems;
  example: Readonly<Record<string, unknown>>;
  path?: `/${string}`;
  scope?: Scope;
}

/** Result of an item: that of a write, or of a delete. */
const done = written.extend({
  action: z.enum([...written.shape.action.options, 'deleted']).meta({ description: 'The action that was taken.' }),
  ...optionals(deletion),
});

const atomic = z.boolean().default(false).meta({ description: 'If `true`, either all items are applied or none.' });

const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).min(1).max(batchItemsMax);

/** Describes a body with a variant for each operation, whose items have their own types. */
function describeBody(name: string, items: BatchItems): z.ZodType {
  const id = `${name}Batch`;
  const variants = Object.entries(items).map(([kind, item]) => ({ kind, body: variant(kind as BatchKind, item) }));
  const [first, ...others] = variants.map(({ kind, body }) => body.meta({ id: `${id}${pascal(kind)}` }));
  return others.length === 0
    ? variants[0]!.body.meta({ id })
    : z.discriminatedUnion('operation', [first!, ...others]).meta({ id });
}

function variant(kind: BatchKind, item: z.ZodObject) {
  return z.strictObject({
    operation: z.literal(kind).meta({ description: 'The operation to perform on every item.' }),
    atomic,
    items: listOf(item).meta({ description: `1 to ${batchItemsMax} items; ${itemsOf[kind]}.` }),
  });
}

export function batchOperation<K extends Kind, Rec extends z.ZodObject>(
  { name, plural, tag }: K,
  { record, items, example, path = `${resourcePath(plural)}/batch`, scope = 'records:write' }: BatchSpec<Rec>,
) {
  const all: BatchItems = { ...items, delete: deleteItem };
  const kinds = Object.keys(all) as [BatchKind, ...BatchKind[]];
  const scopes = Object.fromEntries(kinds.map((kind) => [kind, kind === 'delete' ? 'records:delete' : scope]));
  const results = z.array(
    z.object({
      index: z.int(),
      status: z.int().meta({ description: 'The status that the item would have as a single request.' }),
      data: record.optional(),
      meta: done.optional(),
      error: item.optional(),
    }),
  );
  const output = z.object({
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
      'With `atomic` or an `Idempotency-Key`, all items are one transaction; otherwise up to 100 are executed ' +
      'together. Deletes that are executed together change at most 5,000 other records; send an item with ' +
      '`too_many_linked` again by itself.',
    isWrite: true,
    hasItems: true,
    transaction: 'bulk',
    scope,
    scopes: scopes as Record<BatchKind, Scope>,
    query: writeQuery,
    body: z.strictObject({ operation: z.enum(kinds), atomic, items: listOf(z.unknown()) }),
    describedBody: describeBody(pascal(name), all),
    example: { operation: 'create', items: [example] },
    success: { status: 200, description: 'The batch was processed. Each item has its own status.', body: output },
    errors: ['batch_aborted'],
  });
}
