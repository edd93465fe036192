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
  mode: z.enum(['unique', 'shared', 'signature']),
  /** Kind of the signing sender, such as `github`. */
  signature: z.string().nullable(),
  /** If false, senders get 404. */
  active: z.boolean(),
  /** Path for senders below `server.public_url`: `/webhooks/trigger/…`. */
  url: z.string(),
  /** The API key with which senders authenticate, in shared mode. */
  key: z.object({ id, name: z.string(), last_four: z.string() }).nullable(),
  secret_last_four: z.string().nullable(),
  /** Expression that recognizes repeats. If null, the headers `Idempotency-Key` and `webhook-id` do. */
  repeat_key: z.string().nullable(),
  workflows: z.array(z.string()),
  last_delivery_at: time.nullable(),
  created_at: time,
  updated_at: time,
};

/** Source of each input: a field such as `payload.user.email`, or a constant. */
export const Mapping = z.record(z.string(), z.union([z.string(), z.strictObject({ const: z.unknown() })]));

export const ListedTrigger = z.object(trigger);

export const Trigger = z.object({
  ...trigger,
  /** Valid secrets, the newest first; `last_four` is null if the sender signs. */
  secrets: z.array(z.object({ last_four: z.string().nullable(), created_at: time, expires_at: time.nullable() })),
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

/** The new secret, shown only here. Null if the caller gave it, or if the trigger uses a key. */
const secret = z.string().nullable();

/** Accepts a secret that the sender generated; the rule of its kind is checked later. */
const givenSecret = () => text({ max: 1_024 });

/** Signature settings, as in the CLI. Their values are checked by the kind of sender. */
const signing = {
  /** Kind of sender, such as `github`. */
  signature: lineText().nullish(),
  secret: givenSecret().nullish(),
  /**
   * True if the sender generates its secret only after it has the URL. Posts are refused until a rotation stores the
   * secret.
   */
  secret_follows: z.boolean().nullish(),
  /** Only for the kind `hmac`, as are the five fields after it. */
  header: lineText().nullish(),
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
  permission: 'read',
  params: pathOrg,
  success: { status: 200, body: allOf(ListedTrigger) },
});

export const createTrigger = operation({
  id: 'createTrigger',
  method: 'post',
  path: triggers,
  permission: 'manage',
  answersSecret: true,
  params: pathOrg,
  body: z.strictObject({
    name: nameText(),
    /** Without a key, the trigger gets its own secret or its sender signs. */
    key_id: uuid().nullish(),
    ...signing,
    /** Defaults to the expression of the kind of sender. */
    repeat_key: freeText().nullish(),
  }),
  example: { name: 'Website form' },
  success: {
    status: 201,
    body: dataOf(z.object({ trigger: Trigger, secret })),
  },
  errors: ['conflict'],
});

export const getTrigger = operation({
  id: 'getTrigger',
  method: 'get',
  path: `${triggers}/{id}`,
  permission: 'read',
  params: pathOrgAndId,
  success: { status: 200, body: dataOf(Trigger) },
});

export const updateTrigger = operation({
  id: 'updateTrigger',
  method: 'patch',
  path: `${triggers}/{id}`,
  permission: 'manage',
  params: pathOrgAndId,
  body: z.strictObject({
    name: nameText().optional(),
    active: z.boolean().optional(),
    /** Empty or null to use the headers `Idempotency-Key` and `webhook-id`. */
    repeat_key: freeText().nullish(),
  }),
  example: { active: false },
  success: { status: 200, body: dataOf(Trigger) },
});

export const rotateTriggerSecret = operation({
  id: 'rotateTriggerSecret',
  method: 'post',
  path: `${triggers}/{id}/rotate`,
  permission: 'manage',
  answersSecret: true,
  params: pathOrgAndId,
  body: z.strictObject({ overlap_seconds: overlapSeconds(), secret: givenSecret().nullish() }),
  example: { overlap_seconds: 86_400 },
  success: {
    status: 201,
    body: dataOf(z.object({ trigger: Trigger, secret })),
  },
  errors: ['conflict'],
});

export const selectTriggerKey = operation({
  id: 'selectTriggerKey',
  method: 'post',
  path: `${triggers}/{id}/select-key`,
  permission: 'manage',
  params: pathOrgAndId,
  body: z.strictObject({ key_id: uuid() }),
  example: { key_id: '019a1b2c-0000-7000-8000-000000000001' },
  success: { status: 200, body: dataOf(Trigger) },
  errors: ['conflict'],
});
