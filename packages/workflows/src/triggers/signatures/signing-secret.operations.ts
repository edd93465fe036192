import type { Db } from '@relata/db';
import type { Actor, OperationContext } from '@relata/events';
import { AppError } from '@relata/schemas/errors';
import { reencryption, type SealedValue, type EncryptionKeys, unseal, whyUnreadable } from '@relata/secrets';
import type { Trigger } from '../trigger.sql.ts';
import { listSigningSecrets, removeEndedSigningSecrets, signingSealContext } from './signing-secret.sql.ts';

/** Returns the newest secret of a trigger's sender, for an operator's posts. Throws `conflict` if no key reads it. */
export async function readSigningSecret(db: Db, { org_id: orgId, id }: Trigger, keys: EncryptionKeys): Promise<string> {
  const [newest] = await listSigningSecrets(db, orgId, id);
  if (!newest) throw new AppError('conflict', `The trigger ${id} has no valid secret.`);
  return openSigningSecret(keys, orgId, id, newest);
}

function openSigningSecret(keys: EncryptionKeys, orgId: string, triggerId: string, sealed: SealedValue): string {
  const secret = unseal(keys, signingSealContext(orgId, triggerId), sealed);
  if (secret !== undefined) return secret;
  throw new AppError(
    'conflict',
    `A secret of the trigger ${triggerId} ${whyUnreadable(keys, sealed, 'SIGNING_KEYS')}.`,
  );
}

const signing = reencryption({
  table: 'webhook_signing_secrets',
  key: ['trigger_id', 'id'],
  sealContext: signingSealContext,
  open: openSigningSecret,
});

export const listOrganizationsToReencryptSigning = signing.listOrganizations;

/**
 * Encrypts the secrets of an organization's senders with the first key, so that the other keys can be removed. Returns
 * the ids of the triggers whose secrets changed. Throws `conflict` and changes nothing if a secret cannot be read.
 */
export function reencryptSigningSecrets(
  { database }: Pick<OperationContext, 'database'>,
  { orgId }: Actor,
  keys: EncryptionKeys,
): Promise<string[]> {
  return database.transaction(async (db) => {
    // An expired secret need not be readable.
    await removeEndedSigningSecrets(db, orgId);
    return signing.reencrypt(db, orgId, keys);
  });
}
