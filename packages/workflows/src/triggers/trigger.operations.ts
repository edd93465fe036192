import { type ApiKey, generateCredential, hashCredential, listApiKeys, OverlapMs } from '@relata/auth';
import type { Db } from '@relata/db';
import { type Actor, type Bus, type OperationContext, readInput } from '@relata/events';
import { triggersChanged } from '@relata/messaging';
import { AppError, nameText, uuid, validationError } from '@relata/schemas';
import { z } from 'zod';
import {
  insertTrigger,
  replaceTriggerSecret,
  type Trigger,
  updateTriggerActive,
  updateTriggerKey,
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
});

/** Makes a trigger. `secret` is its only showing, and undefined where a key opens the trigger. */
export async function createTrigger(
  { database }: Pick<OperationContext, 'database'>,
  { orgId }: Actor,
  input: z.input<typeof NewTrigger>,
): Promise<{ trigger: Trigger; secret: string | undefined }> {
  const { name, keyId } = readInput(NewTrigger, input);
  return database.transaction(async (db) => {
    if (keyId !== undefined) {
      await requireWebhookKey(db, orgId, keyId);
      return { trigger: await insertTrigger(db, orgId, { name, keyId }), secret: undefined };
    }
    const { secret, mark } = newSecret();
    return { trigger: await insertTrigger(db, orgId, { name, secret: mark }), secret };
  });
}

/** A new secret, and what is kept of it. */
function newSecret() {
  const secret = generateCredential('trigger');
  return { secret, mark: { hash: hashCredential(secret), lastFour: secret.slice(-4) } };
}

/** Lets a trigger take deliveries, or not. Throws `not_found`. */
export async function setTriggerActive(
  { database, bus }: OperationContext,
  { orgId }: Actor,
  { id, isActive }: { id: string; isActive: boolean },
): Promise<Trigger> {
  const changed = await updateTriggerActive(database, orgId, id, isActive);
  if (!changed) throw noTrigger(id);
  await publishTriggers(bus, [id]);
  return changed;
}

const SecretRotation = z.strictObject({ id: uuid(), overlapMs: OverlapMs });

/** Gives a trigger a new secret and ends the one before after its overlap. Nothing is kept where a key opens it. */
export async function rotateTriggerSecret(
  { database, bus }: OperationContext,
  { orgId }: Actor,
  input: z.input<typeof SecretRotation>,
): Promise<{ trigger: Trigger; secret: string }> {
  const { id, overlapMs } = readInput(SecretRotation, input);
  const { secret, mark } = newSecret();
  const trigger = await database.transaction(async (db) => {
    const rotated = await replaceTriggerSecret(db, orgId, id, { secret: mark, overlapMs });
    if (!rotated) throw noTrigger(id);
    if (rotated.key_id === null) return rotated;
    throw new AppError('conflict', `The trigger ${id} is opened by the API key ${rotated.key_id}.`);
  });
  await publishTriggers(bus, [id]);
  return { trigger, secret };
}

const KeySelection = z.strictObject({ id: uuid(), keyId: uuid() });

/** Selects the API key that a trigger accepts, in place of its own secret or of another key. */
export async function selectTriggerKey(
  { database, bus }: OperationContext,
  { orgId }: Actor,
  input: z.input<typeof KeySelection>,
): Promise<Trigger> {
  const { id, keyId } = readInput(KeySelection, input);
  const changed = await database.transaction(async (db) => {
    await requireWebhookKey(db, orgId, keyId);
    return updateTriggerKey(db, orgId, id, keyId);
  });
  if (!changed) throw noTrigger(id);
  await publishTriggers(bus, [id]);
  return changed;
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

export const noTrigger = (id: string) => new AppError('not_found', `There is no trigger ${id}.`);
