import type { Actor, OperationContext } from '@relata/events';
import type { OperationInput } from '@relata/schemas';
import { AppError, orNotFound, validationError } from '@relata/schemas/errors';
import type { ConsoleOperations } from '@relata/schemas/console';
import {
  changeTrigger,
  createTrigger,
  findTrigger,
  generateVerifyToken,
  listSenderKinds,
  needsSigningKeys,
  rotateTriggerSecret,
  type Trigger,
} from '@relata/workflows';
import { type ConsoleContext, inBodyNames } from './console-context.ts';

type NewTrigger = OperationInput<ConsoleOperations['createTrigger']>['body'];
type OnBehalf = [context: OperationContext, actor: Actor];

/** A trigger with its new secret and verify token, if it has any to show. */
export interface MadeSecret {
  trigger: Trigger;
  secret?: string | undefined;
  verifyToken?: string | undefined;
}

export async function makeTrigger(
  context: ConsoleContext,
  [operation, actor]: OnBehalf,
  { name, key_id: keyId, repeat_key: repeatKey, signature, secret_follows: secretFollows, ...signing }: NewTrigger,
): Promise<MadeSecret> {
  const given = Object.fromEntries(
    Object.entries(signing).flatMap(([field, value]) => (value ? [[field, value]] : [])),
  );
  const [unusable] = signature ? (keyId ? ['key_id'] : []) : Object.keys(given);
  if (unusable) throw unusableField(unusable);
  const named = { name, repeatKey: repeatKey || undefined };
  if (!signature) return inBodyNames(createTrigger(operation, actor, { ...named, keyId: keyId ?? undefined }));
  const { secret, verify_token: verifyToken, ...fields } = given;
  const options = Object.fromEntries(Object.entries(fields).map(([field, value]) => [toOptionName(field), value]));
  const spec = { kind: signature, ...(Object.keys(options).length > 0 && { options }) };
  // `createTrigger` validates the kind and its options.
  const secrets = { secret, verifyToken, secretFollows: secretFollows ?? false };
  const made = { ...named, ...secrets, signature: spec as Parameters<typeof createTrigger>[2]['signature'] };
  return inBodyNames(createTrigger(operation, actor, made, keysFor(context, signature)), placeInForm);
}

/** Converts the name of a body field to the name of an option: `timestamp_header` becomes `timestampHeader`. */
const toOptionName = (field: string) => field.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const unusableField = (field: string) =>
  validationError([{ in: 'body', field, code: 'invalid_format', message: 'Cannot be used with this authentication.' }]);

/** Returns the path of a field in the body, where the options of a signature are top-level fields. */
const placeInForm = (field: string) =>
  field.replace(/^signature\.(options\.|kind$)/, (_, part) => (part === 'kind' ? 'signature' : ''));

/** Replaces a trigger's secret with the given or a generated one. */
export async function rotateSecret(
  context: ConsoleContext,
  [operation, actor]: OnBehalf,
  { id, overlapMs, given }: { id: string; overlapMs: number; given: string | undefined },
): Promise<MadeSecret> {
  const trigger = orNotFound(await findTrigger(operation.database, actor.orgId, id));
  if (given && !trigger.signature) throw unusableField('secret');
  const keys = trigger.signature ? keysFor(context, trigger.signature.kind) : undefined;
  return rotateTriggerSecret(operation, actor, { id, overlapMs, secret: given }, keys);
}

/** Replaces the token with which the sender of a trigger checks the URL, and returns the new token. */
export async function replaceToken([operation, actor]: OnBehalf, id: string): Promise<string> {
  const { signature } = orNotFound(await findTrigger(operation.database, actor.orgId, id));
  const sender = listSenderKinds().find(({ kind }) => kind === signature?.kind);
  if (!sender?.hasVerifyToken) throw new AppError('conflict', 'The sender of this trigger has no verify token.');
  const verifyToken = generateVerifyToken();
  await changeTrigger(operation, actor, { id, verifyToken });
  return verifyToken;
}

/** Returns the signing keys, if any. Throws `conflict` if this kind of sender needs them and none are set. */
function keysFor({ signingKeys: keys }: ConsoleContext, kind: string) {
  if (keys || !needsSigningKeys(kind)) return keys;
  throw new AppError(
    'conflict',
    'Signing secrets cannot be stored: the console has no SIGNING_KEYS. Ask an operator to set them.',
  );
}
