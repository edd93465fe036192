import { z } from 'zod';
import { optionals, readOnlyFields, type Shape } from '../fields/field.ts';
import { problem, text, uuid } from '../fields/text.ts';
import { operation } from '../operation.ts';
import { type Kind, pascal, resourcePath, withArticle, words } from '../resource.operations.ts';
import { tried, writeQuery } from './write.schema.ts';

const crmId = () => text({ min: 1, max: 2_048 }).meta({ description: 'Id of the record in an external CRM.' });

/** Fields by which every kind of record can be matched. */
export const matchKeys = { crm_id: crmId(), id: uuid() };

const modes = ['upsert', 'create_only', 'update_only'] as const;

const actions = ['created', 'updated', 'unchanged'] as const;

/** Returns the body of an upsert: `match` selects the record, `set` has its new values. */
export function upsertBody<Patch extends Shape, Matches extends Shape>(
  { name }: Kind,
  patched: Patch,
  matches: Matches,
) {
  return z
    .strictObject({
      match: matchOf(matches),
      set: z
        .strictObject({ ...readOnlyFields, ...patched, crm_id: crmId().nullish() })
        .default({} as never)
        .meta({ description: 'Fields to set. Omitted fields stay as they are; `null` clears an optional field.' }),
      mode: z
        .enum(modes)
        .default('upsert')
        .meta({
          description:
            '`create_only` fails with `already_exists` if a record matches. `update_only` fails with `not_found` ' +
            'if none does.',
        }),
    })
    .meta({ id: `${pascal(name)}Upsert` });
}

function matchOf<Matches extends Shape>(matches: Matches) {
  const names = Object.keys(matches).join(', ');
  return z
    .strictObject(optionals(matches))
    .check((ctx) => {
      if (ctx.issues.length === 0 && Object.keys(ctx.value).length === 0)
        problem(ctx, 'required', `Must have at least one of: ${names}.`);
    })
    .meta({
      description: 'The record to find: all of these fields must match. Only `crm_id` is case-sensitive.',
      minProperties: 1,
    });
}

/** Result of a write: the action and the changed fields. */
export const written = z.object({
  action: z.enum(actions).meta({ description: 'The action that was taken.' }),
  changed: z
    .array(z.string())
    .optional()
    .meta({ description: 'Fields that were changed, if the action is `updated`.' }),
  ...tried,
});

export function upsertOperation<K extends Kind, Body extends z.ZodObject, Rec extends z.ZodObject>(
  { name, plural, tag }: K,
  body: Body,
  record: Rec,
  example: Record<string, unknown>,
) {
  return operation({
    id: `upsert${pascal<K['name']>(name)}`,
    method: 'post',
    path: `${resourcePath(plural)}/upsert`,
    tag: tag.name,
    summary: `Create or change ${withArticle(name)}`,
    description:
      `Changes the one ${words(name)} that matches, or creates one from \`match\` and \`set\`. ` +
      'If the record already has these values, or if several match, nothing is written.',
    hasVersion: true,
    isWrite: true,
    mayCreate: true,
    scope: 'records:write',
    query: writeQuery,
    body,
    example,
    success: {
      status: 200,
      description: `The ${words(name)} after the change.`,
      body: z.object({ data: record, meta: written }),
    },
    errors: ['not_found', 'conflict', 'ambiguous_match', 'already_exists'],
  });
}
