import { type ApiKey, generateCredential, hashCredential, listApiKeys, OverlapMs } from '@relata/auth';
import type { Db } from '@relata/db';
import { type Actor, type Bus, type OperationContext, readInput, writeAuditEvent } from '@relata/events';
import { triggersChanged } from '@relata/messaging';
import { nameText, uuid } from '@relata/schemas';
import { AppError, validationError } from '@relata/schemas/errors';
import { z } from 'zod';
import { RepeatKey } from './repeat-key.ts';
import {
  findTrigger,
  insertTrigger,
  lockTrigger,
  replaceTriggerSecret,
  type Trigger,
  updateTriggerActive,
  updateTriggerKey,
  updateTriggerName,
  updateTriggerRepeatKey,
} from './trigger.sql.ts';

const triggersPerMessageMax = 1_000;

/** Publishes that these triggers have changed. A receiver that misses it reads them again when its cache expires. */
export async function publishTriggers(bus: Bus, ids: readonly string[]): Promise<void> {
  for (let start = 0; start < ids.length; start += triggersPerMessageMax)
    await bus.publish(triggersChanged, { ids: ids.slice(start, start + triggersPerMessageMax) });
}

const NewTrigger = z.strictObject({
  name: nameText(),
  /** The API key that opens it; unless given it gets a secret of its own. */
  keyId: uuid().optional(),
  /** Unless given, repeats are recognized by `Idempotency-Key` and `webhook-id`. */
  repeatKey: RepeatKey.optional(),
});

/** Makes a trigger. `secret` is its only showing, and undefined where a key opens the trigger. */
export async function createTrigger(
  { database }: Pick<OperationContext, 'database'>,
  actor: Actor,
  input: z.input<typeof NewTrigger>,
): Promise<{ trigger: Trigger; secret: string | undefined }> {
  const { name, keyId, repeatKey } = readInput(NewTrigger, input);
  return database.transaction(async (db) => {
    if (keyId !== undefined) await requireWebhookKey(db, actor.orgId, keyId);
    const { secret, mark } = newSecret();
    const guard = keyId === undefined ? { secret: mark } : { keyId };
    const trigger = await insertTrigger(db, actor.orgId, { name, repeatKey, ...guard });
    await writeAuditEvent(db, actor, 'trigger.created', { row: trigger });
    return { trigger, secret: keyId === undefined ? secret : undefined };
  });
}

/** A new secret, and what is kept of it. */
function newSecret() {
  const secret = generateCredential('trigger');
  return { secret, mark: { hash: hashCredential(secret), lastFour: secret.slice(-4) } };
}

const TriggerChange = z.strictObject({
  id: uuid(),
  name: nameText().optional(),
  isActive: z.boolean().optional(),
  /** Null for `Idempotency-Key` and `webhook-id`. What came by another one before is known no more. */
  repeatKey: RepeatKey.nullish(),
});

/** Renames a trigger, lets it take deliveries or not, or changes by what it recognizes repeats. Throws `not_found`. */
export async function changeTrigger(
  context: OperationContext,
  actor: Actor,
  input: z.input<typeof TriggerChange>,
): Promise<Trigger> {
  const { id, name, isActive, repeatKey } = readInput(TriggerChange, input);
  const { orgId } = actor;
  return updateTrigger(context, actor, id, async (db, before) => {
    if (name !== undefined && name !== before.name) await updateTriggerName(db, orgId, id, name);
    if (isActive !== undefined && isActive !== before.active) await updateTriggerActive(db, orgId, id, isActive);
    if (repeatKey !== undefined && repeatKey !== before.repeat_key)
      await updateTriggerRepeatKey(db, orgId, id, repeatKey);
  });
}

const KeySelection = z.strictObject({ id: uuid(), keyId: uuid() });

/** Selects the API key that a trigger accepts, in place of its own secret or of another key. */
export async function selectTriggerKey(
  context: OperationContext,
  actor: Actor,
  input: z.input<typeof KeySelection>,
): Promise<Trigger> {
  const { id, keyId } = readInput(KeySelection, input);
  return updateTrigger(context, actor, id, async (db, { key_id, signature }) => {
    if (signature) throw new AppError('conflict', `The sender of the trigger ${id} signs: nothing else opens it.`);
    await requireWebhookKey(db, actor.orgId, keyId);
    if (key_id !== keyId) await updateTriggerKey(db, actor.orgId, id, keyId);
  });
}

/** Changes the row of a trigger, writes the event of what differs then, and publishes it. */
async function updateTrigger(
  { database, bus }: OperationContext,
  actor: Actor,
  id: string,
  change: (db: Db, before: Trigger) => Promise<void>,
): Promise<Trigger> {
  const changed = await database.transaction(async (db) => {
    const before = await getLockedTrigger(db, actor.orgId, id);
    await change(db, before);
    const row = (await findTrigger(db, actor.orgId, id))!;
    await writeAuditEvent(db, actor, 'trigger.updated', { before, row });
    return row;
  });
  await publishTriggers(bus, [id]);
  return changed;
}

const SecretRotation = z.strictObject({ id: uuid(), overlapMs: OverlapMs });

/** Gives a trigger a new secret and ends the one before after its overlap. Nothing is kept where a key opens it. */
export async function rotateTriggerSecret(
  { database, bus }: OperationContext,
  actor: Actor,
  input: z.input<typeof SecretRotation>,
): Promise<{ trigger: Trigger; secret: string }> {
  const { id, overlapMs } = readInput(SecretRotation, input);
  const { secret, mark } = newSecret();
  const trigger = await database.transaction(async (db) => {
    const { key_id: keyId, signature } = await getLockedTrigger(db, actor.orgId, id);
    if (signature)
      throw new AppError('conflict', `The sender of the trigger ${id} signs, and has a secret of its own.`);
    if (keyId !== null) throw new AppError('conflict', `The trigger ${id} is opened by the API key ${keyId}.`);
    const lastEnd = await replaceTriggerSecret(db, actor.orgId, id, { secret: mark, overlapMs });
    const rotated = (await findTrigger(db, actor.orgId, id))!;
    const row = { ...rotated, old_secrets_expire_at: lastEnd };
    await writeAuditEvent(db, actor, 'trigger.secret_rotated', { row, hidden: ['secret'] });
    return rotated;
  });
  await publishTriggers(bus, [id]);
  return { trigger, secret };
}

/** Refuses a key that could not open a trigger of the organization. */
async function requireWebhookKey(db: Db, orgId: string, keyId: string): Promise<void> {
  const key = (await listApiKeys(db, orgId)).find(({ id }) => id === keyId);
  if (!key) throw new AppError('not_found', `The organization has no key ${keyId}.`);
  const fault = faultOf(key);
  if (fault === undefined) return;
  const message = `The key ${keyId} ${fault}.`;
  throw validationError([{ in: 'body', field: 'keyId', code: 'invalid_reference', message }]);
}

function faultOf({ kind, revoked_at, expires_at, scopes }: ApiKey): string | undefined {
  if (kind !== 'secret') return 'is publishable: a trigger takes a secret key only';
  if (revoked_at !== null) return `was revoked at ${revoked_at}`;
  if (expires_at !== null && Date.parse(expires_at) <= Date.now()) return `expired at ${expires_at}`;
  if (!scopes.includes('webhook')) return 'lacks the scope webhook';
  return undefined;
}

/** Throws `not_found`. */
export async function getLockedTrigger(db: Db, orgId: string, id: string): Promise<Trigger> {
  const found = await lockTrigger(db, orgId, id);
  if (!found) throw new AppError('not_found', `There is no trigger ${id}.`);
  return found;
}
