import { OverlapMs } from '@relata/auth';
import type { Db } from '@relata/db';
import { type Actor, type OperationContext, readInput, writeAuditEvent } from '@relata/events';
import { nameText, uuid } from '@relata/schemas';
import { AppError } from '@relata/schemas/errors';
import { seal, type SecretKeys } from '@relata/secrets';
import { repeatKeyOfKind, SignatureSpec } from '@relata/signatures';
import { z } from 'zod';
import { RepeatKey } from '../repeat-key.ts';
import { findTrigger, insertTrigger, touchTrigger, type Trigger } from '../trigger.sql.ts';
import { getLockedTrigger, publishTriggers } from '../trigger.operations.ts';
import { chooseSecret, openSigningSecret } from './signing-secret.ts';
import {
  endSigningSecrets,
  insertSigningSecret,
  listOrganizationsOfOtherKeys,
  listSigningSecrets,
  lockSecretsOfOtherKeys,
  removeEndedSigningSecrets,
  replaceCiphertext,
  signingPlace,
} from './signing-secret.sql.ts';

/** A signature is compared with each: they must stay few. */
const validSecretsMax = 5;

const NewSignedTrigger = z.strictObject({
  name: nameText(),
  signature: SignatureSpec,
  /** The sender's secret; unless given one is made, where the sender takes one of ours. */
  secret: z.string().optional(),
  /** The sender makes its secret only once it has the URL: `rotateSigningSecret` stores it then. */
  secretFollows: z.boolean().optional(),
  /** Unless given, the one of the sender's kind; of a kind without one, `Idempotency-Key` and `webhook-id`. */
  repeatKey: RepeatKey.optional(),
});

/** What was made or rotated. `secret` is its only showing, and undefined where it was given. */
export interface SignedTrigger {
  trigger: Trigger;
  secret: string | undefined;
}

/** Makes a trigger whose sender signs; nothing else opens it. */
export async function createSignedTrigger(
  { database }: Pick<OperationContext, 'database'>,
  actor: Actor,
  input: z.input<typeof NewSignedTrigger>,
  keys: SecretKeys,
): Promise<SignedTrigger> {
  const { name, signature, secret: given, secretFollows, ...asked } = readInput(NewSignedTrigger, input);
  const repeatKey = asked.repeatKey ?? repeatKeyOfKind[signature.kind];
  const { secret, isMade } = chooseSecret(signature, given, secretFollows);
  return database.transaction(async (db) => {
    const trigger = await insertTrigger(db, actor.orgId, { name, repeatKey, signature });
    await addSecret(db, { orgId: actor.orgId, id: trigger.id, secret, keys });
    await writeAuditEvent(db, actor, 'trigger.created', { row: trigger });
    return { trigger, secret: isMade ? secret : undefined };
  });
}

interface AddedSecret {
  orgId: string;
  id: string;
  secret: string;
  keys: SecretKeys;
}

async function addSecret(db: Db, { orgId, id, secret, keys }: AddedSecret): Promise<void> {
  await insertSigningSecret(db, orgId, id, seal(keys, signingPlace(orgId, id), secret));
}

const SigningRotation = z.strictObject({ id: uuid(), overlapMs: OverlapMs, secret: z.string().optional() });

/** Gives a trigger another secret of its sender and ends the one before after its overlap. */
export async function rotateSigningSecret(
  { database, bus }: OperationContext,
  actor: Actor,
  input: z.input<typeof SigningRotation>,
  keys: SecretKeys,
): Promise<SignedTrigger> {
  const { id, overlapMs, secret: given } = readInput(SigningRotation, input);
  const { orgId } = actor;
  const rotated = await database.transaction(async (db) => {
    const { signature } = await getLockedTrigger(db, orgId, id);
    if (!signature) throw new AppError('conflict', `The sender of the trigger ${id} does not sign.`);
    const { secret, isMade } = chooseSecret(signature, given);
    const { lastEnd, valid } = await endSigningSecrets(db, orgId, id, overlapMs);
    await removeEndedSigningSecrets(db, orgId, id);
    if (valid >= validSecretsMax)
      throw new AppError(
        'conflict',
        `The trigger ${id} has ${valid} valid secrets already. Rotate it without an overlap.`,
      );
    await addSecret(db, { orgId, id, secret, keys });
    await touchTrigger(db, orgId, id);
    const trigger = (await findTrigger(db, orgId, id))!;
    const row = { ...trigger, old_secrets_expire_at: lastEnd };
    await writeAuditEvent(db, actor, 'trigger.secret_rotated', { row, hidden: ['secret'] });
    return { trigger, secret: isMade ? secret : undefined };
  });
  await publishTriggers(bus, [id]);
  return rotated;
}

/** The newest secret of a trigger's sender, for an operator's own posts. Throws `conflict` where no key reads it. */
export async function readSigningSecret(db: Db, { org_id: orgId, id }: Trigger, keys: SecretKeys): Promise<string> {
  const [newest] = await listSigningSecrets(db, orgId, id);
  if (!newest) throw new AppError('conflict', `The trigger ${id} has no valid secret.`);
  return openSigningSecret(keys, orgId, id, newest);
}

/** The organizations that have secrets of another key than the first, for an operator. */
export function listOrganizationsToReencryptSigning(db: Db, [{ id }]: SecretKeys): Promise<string[]> {
  return listOrganizationsOfOtherKeys(db, id);
}

/**
 * Encrypts the secrets of an organization's senders with the first key, so that the others can go; returns the triggers.
 * Throws `conflict` where one cannot be read, and changes none then.
 */
export function reencryptSigningSecrets(
  { database }: Pick<OperationContext, 'database'>,
  { orgId }: Actor,
  keys: SecretKeys,
): Promise<string[]> {
  return database.transaction(async (db) => {
    // One that ended need not be readable.
    await removeEndedSigningSecrets(db, orgId);
    const stored = await lockSecretsOfOtherKeys(db, orgId, keys[0].id);
    for (const secret of stored) {
      const { trigger_id: id } = secret;
      const clear = openSigningSecret(keys, orgId, id, secret);
      await replaceCiphertext(db, orgId, { ...secret, ...seal(keys, signingPlace(orgId, id), clear) });
    }
    return [...new Set(stored.map(({ trigger_id: id }) => id))];
  });
}
