import { z } from 'zod';
import { etagList } from '../fields/etag-list.ts';
import type { Fields } from '../fields/field.ts';
import { isRecord } from '../fields/is-record.ts';
import { isUuid, uuid } from '../fields/text.ts';
import { operation } from '../operation.ts';
import { type Kind, pascal, resourcePath, words } from '../resource.operations.ts';
import { recordCounts } from './delete.schema.ts';
import { valuesOf } from './upsert.ts';
import { tried, writeQuery } from './write.schema.ts';

/** Maximum number of records that one request can merge into a record. */
const losersMax = 10;

/** Returns the body of a merge. */
export function mergeBody<F extends Fields>({ name }: Kind, fields: F) {
  return z
    .strictObject({
      winner_id: uuid().meta({ description: 'The record that remains.' }),
      loser_ids: z
        .array(uuid())
        .min(1)
        .max(losersMax)
        .meta({ description: 'Records to merge into it. In this order, they fill its empty fields.' }),
      set: valuesOf(fields)
        .optional()
        .meta({ description: 'Fields to set afterwards, by the rules of a PATCH; it may set `crm_id`.' }),
      if_match: z
        .record(z.string(), etagList())
        .optional()
        .meta({ description: 'ETags by id. If a record has another version, the answer is 412, and nothing is done.' }),
    })
    .check(z.superRefine(refuseRepeats, { when: () => true }))
    .meta({ id: `${pascal(name)}Merge` });
}

/** Reports ids that are given twice, and versions of records that are not part of the merge. */
function refuseRepeats(body: unknown, ctx: z.core.$RefinementCtx): void {
  if (!isRecord(body)) return;
  const { winner_id: winner, loser_ids: losers, if_match: versions } = body;
  const lower = (id: unknown) => (typeof id === 'string' ? id.toLowerCase() : id);
  const ids = (Array.isArray(losers) ? losers : []).map(lower);
  const report = (path: (string | number)[], message: string) =>
    ctx.addIssue({ code: 'custom', params: { code: 'invalid_reference' }, message, path });
  for (const [i, id] of ids.entries()) {
    if (id === lower(winner)) report(['loser_ids', i], 'Must not be the winner.');
    else if (ids.indexOf(id) < i) report(['loser_ids', i], 'Must be given once.');
  }
  for (const id of isRecord(versions) ? Object.keys(versions) : [])
    if (!isUuid(id) || ![lower(winner), ...ids].includes(lower(id)))
      report(['if_match', id], 'Is not part of the merge.');
}

export function mergeOperation<K extends Kind, Body extends z.ZodObject, Rec extends z.ZodObject>(
  { plural, tag }: K,
  body: Body,
  record: Rec,
) {
  return operation({
    id: `merge${pascal<K['plural']>(plural)}`,
    method: 'post',
    path: `${resourcePath(plural)}/merge`,
    tag: tag.name,
    summary: `Merge ${words(plural)}`,
    description:
      'Merges up to 10 records into another one: moves their links to it, fills its empty fields from them, and moves ' +
      'them to the trash. Restoring one of them from the trash undoes its part of the merge.',
    hasVersion: true,
    isWrite: true,
    transaction: 'bulk',
    scope: 'records:delete',
    query: writeQuery,
    body,
    example: {
      winner_id: '019a1b2c-0000-7000-8000-000000000001',
      loser_ids: ['019a1b2c-0000-7000-8000-000000000002'],
    },
    success: {
      status: 200,
      description: 'The record that remains.',
      body: z.object({
        data: record,
        meta: z.object({
          action: z.literal('merged'),
          changed: z.array(z.string()).meta({ description: 'Fields that were changed.' }),
          filled: z.array(z.string()).meta({ description: 'Empty fields that now have a value of a loser.' }),
          moved: recordCounts.meta({ description: 'Number of other records whose links were moved, by kind.' }),
          ...tried,
        }),
      }),
    },
    errors: ['precondition_failed', 'too_many_linked'],
  });
}
