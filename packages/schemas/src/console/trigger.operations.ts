import { z } from 'zod';
import { freeText, lineText, nameText, text, uuid } from '../fields/text.ts';
import { dataSchema } from '../list.ts';
import { consoleOperation } from './shared/console-operation.ts';
import { wholeListSchema, overlapSeconds } from './shared/page.schema.ts';
import { ListedTrigger, Trigger } from './shared/trigger.schema.ts';

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

export const listTriggers = consoleOperation('get', '/orgs/{org}/triggers', {
  permission: 'read',
  success: { status: 200, body: wholeListSchema(ListedTrigger) },
});

export const createTrigger = consoleOperation('post', '/orgs/{org}/triggers', {
  permission: 'manage',
  answersSecret: true,
  body: z.strictObject({
    name: nameText(),
    /** Without a key, the trigger gets its own secret or its sender signs. */
    key_id: uuid().nullish(),
    ...signing,
    /** Defaults to the expression of the kind of sender. */
    repeat_key: freeText().nullish(),
  }),
  example: { name: 'Website form' },
  success: { status: 201, body: dataSchema(z.object({ trigger: Trigger, secret })) },
  errors: ['conflict'],
});

export const getTrigger = consoleOperation('get', '/orgs/{org}/triggers/{id}', {
  permission: 'read',
  success: { status: 200, body: dataSchema(Trigger) },
});

export const updateTrigger = consoleOperation('patch', '/orgs/{org}/triggers/{id}', {
  permission: 'manage',
  body: z.strictObject({
    name: nameText().optional(),
    active: z.boolean().optional(),
    /** Empty or null to use the headers `Idempotency-Key` and `webhook-id`. */
    repeat_key: freeText().nullish(),
  }),
  example: { active: false },
  success: { status: 200, body: dataSchema(Trigger) },
});

export const rotateTriggerSecret = consoleOperation('post', '/orgs/{org}/triggers/{id}/rotate', {
  permission: 'manage',
  answersSecret: true,
  body: z.strictObject({ overlap_seconds: overlapSeconds(), secret: givenSecret().nullish() }),
  example: { overlap_seconds: 86_400 },
  success: { status: 201, body: dataSchema(z.object({ trigger: Trigger, secret })) },
  errors: ['conflict'],
});

export const selectTriggerKey = consoleOperation('post', '/orgs/{org}/triggers/{id}/select-key', {
  permission: 'manage',
  body: z.strictObject({ key_id: uuid() }),
  example: { key_id: '019a1b2c-0000-7000-8000-000000000001' },
  success: { status: 200, body: dataSchema(Trigger) },
  errors: ['conflict'],
});
