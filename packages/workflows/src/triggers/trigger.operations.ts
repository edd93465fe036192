import { type ApiKey, listApiKeys, OverlapMs } from '@relata/auth';
import type { Db } from '@relata/db';
import { type Actor, type Bus, type OperationContext, readInput, writeAuditEvent } from '@relata/events';
import { triggersChanged } from '@relata/messaging';
import { nameText, uuid } from '@relata/schemas';
import { AppError, validationError, orNotFound } from '@relata/schemas/errors';
import type { SecretKeys } from '@relata/secrets';
import { describeKind, SignatureSpec } from '@relata/signatures';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { RepeatKey } from './repeat-key.ts';
import { misfit } from './misfit.ts';
import { type ChosenSecret, createTriggerGuard } from './trigger-guard.ts';
import { dropTriggerSecrets } from './trigger-secret.sql.ts';
import {
  findTrigger,
  insertTrigger,
  lockTrigger,
  touchTrigger,
  type Trigger,
  type TriggerFields,
  updateTrigger,
} from './trigger.sql.ts';
import { chooseVerifyToken, setVerifyToken } from './verify-token.ts';

const triggersPerMessageMax = 1_000;

/** Publishes that these triggers have changed. A receiver that misses it reads them again when its cache expires. */
export async function publishTriggers(bus: Bus, ids: readonly string[]): Promise<void> {
  for (let start = 0; start < ids.length; start += triggersPerMessageMax)
    await bus.publish(triggersChanged, { ids: ids.slice(start, start + triggersPerMessageMax) });
}

const NewTrigger = z.strictObject({
  name: nameText(),
  /** The API key that senders authenticate with; without it and `signature`, the trigger gets a secret of its own. */
  keyId: uuid().optional(),
  /** How the sender signs; the trigger then accepts nothing else. */
  signature: SignatureSpec.optional(),
  /** The secret of a sender who signs. If omitted, one is generated, provided that the sender accepts one of ours. */
  secret: z.string().optional(),
  /** True if the sender makes its secret only once it has the URL: `rotateTriggerSecret` stores it then. */
  secretFollows: z.boolean().optional(),
  /** Token with which the maker checks the URL, for kinds that do so by a GET. If omitted, one is generated. */
  verifyToken: z.string().optional(),
  /** Default: the expression of the sender's kind, otherwise `Idempotency-Key` and `webhook-id`. */
  repeatKey: RepeatKey.optional(),
});

/** A trigger and its new secret, which is shown only here; undefined if the caller gave it, or a key opens the trigger. */
export interface TriggerWithSecret {
  trigger: Trigger;
  secret: string | undefined;
  /** The generated verify token, which is shown only here. */
  verifyToken?: string | undefined;
}

/** Creates a trigger. A sender who signs needs `keys`, which encrypt its secret. */
export async function createTrigger(
  { database }: Pick<OperationContext, 'database'>,
  actor: Actor,
  input: z.input<typeof NewTrigger>,
  keys?: SecretKeys,
): Promise<TriggerWithSecret> {
  const { name, keyId, signature, secret: given, secretFollows, verifyToken, ...asked } = readInput(NewTrigger, input);
  const { orgId } = actor;
  if (signature && keyId !== undefined) throw misfit('keyId', 'Can be used only with a sender that does not sign.');
  const guard = createTriggerGuard(signature, keys);
  const chosen = keyId === undefined ? guard.choose(given, secretFollows) : undefined;
  const token = chooseVerifyToken(signature, verifyToken);
  const repeatKey = asked.repeatKey ?? (signature && (describeKind(signature.kind).repeatKey ?? undefined));
  return database.transaction(async (db) => {
    if (keyId !== undefined) await requireWebhookKey(db, orgId, keyId);
    const id = await insertTrigger(db, orgId, { name, repeatKey, keyId, signature });
    if (chosen) await guard.add(db, orgId, id, chosen);
    if (token) await setVerifyToken(db, orgId, id, token);
    const trigger = (await findTrigger(db, orgId, id))!;
    await writeAuditEvent(db, actor, 'trigger.created', { row: trigger });
    return { trigger, secret: shownSecret(chosen), verifyToken: token?.shown };
  });
}

const shownSecret = (chosen: ChosenSecret | undefined) => (chosen?.isMade ? chosen.secret : undefined);

const TriggerChange = z.strictObject({
  id: uuid(),
  name: nameText().optional(),
  isActive: z.boolean().optional(),
  /**
   * Null to use the headers `Idempotency-Key` and `webhook-id`. A repeat is not detected if the original was received
   * with another repeat key.
   */
  repeatKey: RepeatKey.nullish(),
  /** Replaces the token with which the maker checks the URL. */
  verifyToken: z.string().optional(),
});

/** Renames, enables or disables a trigger, or changes its repeat key or verify token. Throws `not_found`. */
export async function changeTrigger(
  context: OperationContext,
  actor: Actor,
  input: z.input<typeof TriggerChange>,
): Promise<Trigger> {
  const { id, name, isActive, repeatKey, verifyToken } = readInput(TriggerChange, input);
  const hidden = verifyToken === undefined ? [] : ['verify_token'];
  const change = async (db: Db, before: Trigger) => {
    const token = verifyToken === undefined ? undefined : chooseVerifyToken(before.signature, verifyToken);
    if (token) await setVerifyToken(db, actor.orgId, id, token);
    return {
      name: name ?? before.name,
      active: isActive ?? before.active,
      repeat_key: repeatKey === undefined ? before.repeat_key : repeatKey,
    };
  };
  return changeLocked(context, actor, id, change, hidden);
}

const KeySelection = z.strictObject({ id: uuid(), keyId: uuid() });

/** Selects the API key that opens a trigger, instead of its own secret or of another key. */
export async function selectTriggerKey(
  context: OperationContext,
  actor: Actor,
  input: z.input<typeof KeySelection>,
): Promise<Trigger> {
  const { id, keyId } = readInput(KeySelection, input);
  return changeLocked(context, actor, id, async (db, { signature }) => {
    if (signature)
      throw new AppError(
        'conflict',
        `The trigger ${id} accepts only the ${signature.kind} sender that it was created for.`,
      );
    await requireWebhookKey(db, actor.orgId, keyId);
    await dropTriggerSecrets(db, actor.orgId, id);
    return { key_id: keyId };
  });
}

/** Locks a trigger, stores what `change` returns if it differs, writes the event of the difference, and publishes it. */
async function changeLocked(
  { database, bus }: OperationContext,
  actor: Actor,
  id: string,
  change: (db: Db, before: Trigger) => Promise<Partial<TriggerFields>>,
  hidden: readonly string[] = [],
): Promise<Trigger> {
  const changed = await database.transaction(async (db) => {
    const before = await getLockedTrigger(db, actor.orgId, id);
    const after = { ...before, ...(await change(db, before)) };
    if (!isDeepStrictEqual(after, before)) await updateTrigger(db, after);
    const row = (await findTrigger(db, actor.orgId, id))!;
    await writeAuditEvent(db, actor, 'trigger.updated', { before, row, hidden });
    return row;
  });
  await publishTriggers(bus, [id]);
  return changed;
}

const SecretRotation = z.strictObject({
  id: uuid(),
  overlapMs: OverlapMs,
  /**
   * The new secret of a sender who signs. If omitted, one is generated, provided that the sender accepts one of ours.
   */
  secret: z.string().optional(),
});

/** Gives a trigger a new secret and ends the ones before after the overlap. Throws `conflict` if a key opens it. */
export async function rotateTriggerSecret(
  { database, bus }: OperationContext,
  actor: Actor,
  input: z.input<typeof SecretRotation>,
  keys?: SecretKeys,
): Promise<TriggerWithSecret> {
  const { id, overlapMs, secret: given } = readInput(SecretRotation, input);
  const { orgId } = actor;
  const rotated = await database.transaction(async (db) => {
    const { key_id: keyId, signature } = await getLockedTrigger(db, orgId, id);
    if (keyId !== null)
      throw new AppError('conflict', `The trigger ${id} uses the API key ${keyId} for authentication.`);
    const guard = createTriggerGuard(signature, keys);
    const chosen = guard.choose(given);
    const lastEnd = await guard.end(db, orgId, id, overlapMs);
    await guard.add(db, orgId, id, chosen);
    await touchTrigger(db, orgId, id);
    const trigger = (await findTrigger(db, orgId, id))!;
    const row = { ...trigger, old_secrets_expire_at: lastEnd };
    await writeAuditEvent(db, actor, 'trigger.secret_rotated', { row, hidden: ['secret'] });
    return { trigger, secret: shownSecret(chosen) };
  });
  await publishTriggers(bus, [id]);
  return rotated;
}

/** Throws unless the key can open a trigger of the organization. */
async function requireWebhookKey(db: Db, orgId: string, keyId: string): Promise<void> {
  const found = (await listApiKeys(db, orgId)).find(({ id }) => id === keyId);
  const key = orNotFound(found, `The organization has no key ${keyId}.`);
  const fault = faultOf(key);
  if (fault === undefined) return;
  const message = `The key ${keyId} ${fault}.`;
  throw validationError([{ in: 'body', field: 'keyId', code: 'invalid_reference', message }]);
}

function faultOf({ kind, revoked_at, expires_at, scopes }: ApiKey): string | undefined {
  if (kind !== 'secret') return 'is publishable; a trigger needs a secret key';
  if (revoked_at !== null) return `was revoked at ${revoked_at}`;
  if (expires_at !== null && Date.parse(expires_at) <= Date.now()) return `expired at ${expires_at}`;
  if (!scopes.includes('webhook')) return 'lacks the scope webhook';
  return undefined;
}

/** Throws `not_found`. */
export async function getLockedTrigger(db: Db, orgId: string, id: string): Promise<Trigger> {
  return orNotFound(await lockTrigger(db, orgId, id), `There is no trigger ${id}.`);
}
