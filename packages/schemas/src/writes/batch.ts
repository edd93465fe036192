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
  create: 'each is the body of a new record',
  update: 'each has `id`, `set` (a merge patch) and `if_match` (an ETag; optional)',
  upsert: 'each is the body of an upsert',
};

const item = z.looseObject({
  error: z.string(),
  message: z.string(),
  details: z.array(ErrorDetail).optional(),
});

/** Returns the item of a batch of changes; for records that cannot be changed, it has no `set`. */
export function updateItem(update: z.ZodObject | undefined) {
  return z.strictObject({
    id: z.string().meta({ format: 'uuid', description: 'Id of the record.' }),
    set: update ?? z.never(),
    if_match: z
      .string()
      .optional()
      .meta({ description: 'An ETag. If the record has another version, the item gets 412.' }),
  });
}

/** Items of a batch by operation: the bodies of the single calls. */
type BatchItems = { readonly [Each in BatchKind]?: z.ZodObject };

interface BatchSpec<Rec extends z.ZodObject> {
  record: Rec;
  items: BatchItems;
  example: Readonly<Record<string, unknown>>;
  path?: `/${string}`;
  scope?: Scope;
}

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
  const kinds = Object.keys(items) as [BatchKind, ...BatchKind[]];
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
    body: z.strictObject({ operation: z.enum(kinds), atomic, items: listOf(z.unknown()) }),
    describedBody: describeBody(pascal(name), items),
    example: { operation: 'create', items: [example] },
    success: { status: 200, description: 'The batch was processed. Each item has its own status.', body: answer },
    errors: ['batch_aborted'],
  });
}
