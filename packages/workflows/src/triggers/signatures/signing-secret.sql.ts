import { type Db, listWith, newId, statement } from '@relata/db';
import type { SealContext, SealedValue } from '@relata/secrets';
import { secretEnds } from '../trigger-secret.sql.ts';

/** Returns the row to which the ciphertext of a sender's secret is bound. */
export function signingSealContext(orgId: string, triggerId: string): SealContext {
  return { purpose: 'relata sender secret', orgId, name: triggerId };
}

const insert = statement<never>(
  'webhook_signing_secrets.insert',
  `INSERT INTO webhook_signing_secrets (org_id, trigger_id, id, key_id, ciphertext, last_four)
   VALUES ($1, $2, $3, $4, $5, $6)`,
);

export async function insertSigningSecret(
  db: Db,
  orgId: string,
  triggerId: string,
  sealed: SealedValue & { lastFour: string | null },
): Promise<void> {
  const { key_id, ciphertext, lastFour } = sealed;
  await db.query(insert, [orgId, triggerId, newId(), key_id, ciphertext, lastFour]);
}

/** Expired secrets are deleted, since they could still be decrypted. */
export const { end: endSigningSecrets, removeEnded: removeEndedSigningSecrets } = secretEnds('webhook_signing_secrets');

/** Lists the valid secrets, the newest first. */
export const listSigningSecrets = listWith<SealedValue, [orgId: string, triggerId: string]>(
  'webhook_signing_secrets.valid',
  `SELECT key_id, ciphertext FROM webhook_signing_secrets
   WHERE org_id = $1 AND trigger_id = $2 AND (expires_at IS NULL OR expires_at > now()) ORDER BY id DESC`,
);
