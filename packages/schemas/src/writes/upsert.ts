import { z } from 'zod';
import { type Fields, optionals, type Patched, patched, readOnlyFields, type Shape } from '../fields/field.ts';
import { problem, text, uuid } from '../fields/text.ts';
import { operation } from '../operation.ts';
import { type Kind, pascal, resourcePath, withArticle, words } from '../resource.operations.ts';
import { conflictingFields } from './conflicting-fields.ts';
import { refuseConflicts } from './refuse-conflicts.ts';
import { ignored, tried, writeQuery } from './write.schema.ts';

const crmId = () => text({ min: 1, max: 2_048 }).meta({ description: 'Id of the record in an external CRM.' });

/** Fields by which every kind of record can be matched. */
export const matchKeys = { crm_id: crmId(), id: uuid() };

const modes = ['upsert', 'create_only', 'update_only'] as const;

const actions = ['created', 'updated', 'unchanged'] as const;

/** Choice among several matching records: the oldest, the newest, or a failure. */
export const onSeveral = z.enum(['fail', 'oldest', 'newest']).meta({
  description:
    'If several records match: `fail` changes none and answers `ambiguous_match`; `oldest` and `newest` take the one ' +
    'that was created first or last.',
});

/** Returns the schema of values to add to the lists of a record. */
export function addableTo(fields: Fields) {
  const lists = Object.entries(fields).filter(
    ([, { kind, schema }]) => kind !== 'fixed' && schema instanceof z.ZodArray,
  );
  return z.strictObject(optionals(Object.fromEntries(lists.map(([name, { schema }]) => [name, schema]))));
}

/** Returns the schema of an upsert's body. `match` selects the record; the other members have values and options. */
export function upsertBody<F extends Fields, Matches extends Shape>({ name }: Kind, fields: F, matches: Matches) {
  const values = valuesOf(fields);
  return z
    .strictObject({
      match: matchOf(matches),
      create: values
        .optional()
        .meta({ description: 'Fields to set only if a record is created. Required fields may be given here.' }),
      fill: values.optional().meta({
        description:
          'Fields to set only if they are empty in the record: absent, `null`, an empty text or an empty list. ' +
          'A new record gets all of them.',
      }),
      add: addableTo(fields)
        .optional()
        .meta({ description: 'Values to append to lists of the record, in order, unless they are there already.' }),
      set: values
        .default({} as never)
        .meta({ description: 'Fields to set. Omitted fields stay as they are; `null` clears an optional field.' }),
      mode: z
        .enum(modes)
        .default('upsert')
        .meta({
          description:
            '`create_only` fails with `already_exists` if a record matches. `update_only` fails with `not_found` ' +
            'if no record matches.',
        }),
      on_several: onSeveral.default('fail'),
    })
    .check(
      refuseConflicts((body) =>
        conflictingFields(body).map(({ part, name, message }) => ({ path: [part, name], message })),
      ),
    )
    .meta({ id: `${pascal(name)}Upsert` });
}

export function valuesOf<F extends Fields>(fields: F) {
  const shape: typeof readOnlyFields & Patched<F> = { ...readOnlyFields, ...patched(fields) };
  return z.strictObject({ ...shape, crm_id: crmId().nullish() });
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
  candidate_count: z
    .int()
    .optional()
    .meta({ description: 'Number of matching records, counted up to 100, if `on_several` is `oldest` or `newest`.' }),
  ...ignored,
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
      `Changes the one ${words(name)} that matches, or creates one. \`set\` overwrites; \`fill\`, \`add\` and \`create\` ` +
      'keep the values that a record has. On creation the order is `match`, `create`, `fill`, `add`, `set`: a later part ' +
      'wins. ' +
      'A field in `fill` or `add` must not be in another of `fill`, `add` and `set`. ' +
      'If nothing differs, or if several match and `on_several` is `fail`, nothing is written.',
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
    errors: ['not_found', 'ambiguous_match', 'already_exists'],
  });
}
