import { z } from 'zod';
import { freeText, lineText, nameText, text, uuid } from '../fields/text.ts';
import { dataOf } from '../list.ts';
import { operation } from '../operation.ts';
import { orgPath, pathOrg, pathOrgAndId } from './shared/console-path.ts';
import { overlapSeconds } from './key.operations.ts';
import { allOf, id, time } from './shared/page.schema.ts';

const triggers = `${orgPath}/triggers` as const;

const trigger = {
  id,
  name: z.string(),
  mode: z
    .enum(['unique', 'shared', 'signature'])
    .meta({ description: 'Whether a secret of its own, an API key or a signature of the sender opens it.' }),
  signature: z.string().nullable().meta({ description: 'The kind of sender that signs, like `github`.' }),
  active: z.boolean().meta({ description: 'One that is not answers senders with 404.' }),
  url: z.string().meta({ description: 'Where senders post to, below `server.public_url`: `/webhooks/trigger/…`.' }),
  key: z
    .object({ id, name: z.string(), last_four: z.string() })
    .nullable()
    .meta({ description: 'The API key that opens it, in shared mode.' }),
  secret_last_four: z.string().nullable(),
  repeat_key: z.string().nullable().meta({
    description: 'The expression whose value is the same for every repeat; `null`: `Idempotency-Key` and `webhook-id`.',
  }),
  workflows: z.array(z.string()).meta({ description: 'The names of those that it starts.' }),
  last_delivery_at: time.nullable(),
  created_at: time,
  updated_at: time,
};

export const Mapping = z
  .record(z.string(), z.union([z.string(), z.strictObject({ const: z.unknown() })]))
  .meta({ description: 'Of each input the field it is taken from, like `payload.user.email`, or a constant.' });

export const ListedTrigger = z.object(trigger);

export const Trigger = z.object({
  ...trigger,
  secrets: z.array(z.object({ last_four: z.string().nullable(), created_at: time, expires_at: time.nullable() })).meta({
    description: 'Those that open it now, the newest first; of those that a sender made no character is known.',
  }),
  assignments: z.array(
    z.object({
      workflow_id: id,
      workflow: z.string(),
      inputs: Mapping,
      filter: z.string().nullable(),
      updated_at: time,
    }),
  ),
});

export type ListedTrigger = z.output<typeof ListedTrigger>;
export type Trigger = z.output<typeof Trigger>;

const secret = z.string().nullable().meta({
  description: 'The secret itself, in no other answer; `null` where it was given, or a key opens the trigger.',
});

/** A sender's own secret; what it has to be is its kind's rule. */
const givenSecret = () =>
  text({ max: 1_024 }).meta({ description: 'The secret of a sender who signs, where it is not made here.' });

/** How a sender signs, as the tool takes it. What these must be is checked by kind. */
const signing = {
  signature: lineText()
    .nullish()
    .meta({ description: 'The kind of sender that signs, like `github`: see the senders.' }),
  secret: givenSecret().nullish(),
  secret_follows: z.boolean().nullish().meta({
    description:
      'The sender makes its secret only once it has the URL. Nothing is accepted until a rotation stores it.',
  }),
  header: lineText()
    .nullish()
    .meta({ description: 'Of the kind `hmac`, as those that follow: the header of the signature.' }),
  algorithm: lineText().nullish(),
  encoding: lineText().nullish(),
  prefix: lineText().nullish(),
  template: lineText().nullish(),
  timestamp_header: lineText().nullish(),
};

export const listTriggers = operation({
  id: 'listTriggers',
  method: 'get',
  path: triggers,
  summary: 'List the webhook triggers',
  permission: 'read',
  params: pathOrg,
  success: { status: 200, description: 'All triggers, the oldest first.', body: allOf(ListedTrigger) },
});

export const createTrigger = operation({
  id: 'createTrigger',
  method: 'post',
  path: triggers,
  summary: 'Create a webhook trigger',
  permission: 'manage',
  answersSecret: true,
  params: pathOrg,
  body: z.strictObject({
    name: nameText(),
    key_id: uuid().nullish().meta({
      description: 'The API key that opens it; without one it gets a secret of its own, or its sender signs.',
    }),
    ...signing,
    repeat_key: freeText().nullish().meta({ description: 'Unless given, that of the kind of sender.' }),
  }),
  example: { name: 'Website form' },
  success: {
    status: 201,
    description: 'The trigger, and its secret where one was made.',
    body: dataOf(z.object({ trigger: Trigger, secret })),
  },
  errors: ['conflict'],
});

export const getTrigger = operation({
  id: 'getTrigger',
  method: 'get',
  path: `${triggers}/{id}`,
  summary: 'Read a webhook trigger',
  permission: 'read',
  params: pathOrgAndId,
  success: { status: 200, description: 'The trigger.', body: dataOf(Trigger) },
});

export const updateTrigger = operation({
  id: 'updateTrigger',
  method: 'patch',
  path: `${triggers}/{id}`,
  summary: 'Rename a webhook trigger, switch it on or off, or change by what it recognizes repeats',
  permission: 'manage',
  params: pathOrgAndId,
  body: z.strictObject({
    name: nameText().optional(),
    active: z.boolean().optional(),
    repeat_key: freeText().nullish().meta({ description: 'Empty or `null` for `Idempotency-Key` and `webhook-id`.' }),
  }),
  example: { active: false },
  success: { status: 200, description: 'The trigger as it is now.', body: dataOf(Trigger) },
});

export const rotateTriggerSecret = operation({
  id: 'rotateTriggerSecret',
  method: 'post',
  path: `${triggers}/{id}/rotate`,
  summary: 'Give a webhook trigger a new secret',
  permission: 'manage',
  answersSecret: true,
  params: pathOrgAndId,
  body: z.strictObject({ overlap_seconds: overlapSeconds(), secret: givenSecret().nullish() }),
  example: { overlap_seconds: 86_400 },
  success: {
    status: 201,
    description: 'The trigger, and its secret where one was made.',
    body: dataOf(z.object({ trigger: Trigger, secret })),
  },
  errors: ['conflict'],
});

export const selectTriggerKey = operation({
  id: 'selectTriggerKey',
  method: 'post',
  path: `${triggers}/{id}/select-key`,
  summary: 'Let an API key open a webhook trigger, in place of its secret or of another key',
  permission: 'manage',
  params: pathOrgAndId,
  body: z.strictObject({ key_id: uuid() }),
  example: { key_id: '019a1b2c-0000-7000-8000-000000000001' },
  success: { status: 200, description: 'The trigger as it is now.', body: dataOf(Trigger) },
  errors: ['conflict'],
});
