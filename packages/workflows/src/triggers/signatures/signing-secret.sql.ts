import { type Db, listWith, newId, statement } from '@relata/db';
import type { SealedPlace, SealedValue } from '@relata/secrets';
import type { EndedSecrets } from '../trigger-secret.sql.ts';

/** Returns the row to which the ciphertext of a sender's secret is bound. */
export function signingPlace(orgId: string, triggerId: string): SealedPlace {
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

const end = statement<{ last_end: string | null; valid: number }>(
  'webhook_signing_secrets.end',
  `WITH ended AS (
     UPDATE webhook_signing_secrets SET expires_at = least(expires_at,
       date_trunc('milliseconds', now()) + make_interval(secs => $3::float8 / 1000))
     WHERE org_id = $1 AND trigger_id = $2 RETURNING expires_at
   ) SELECT max(expires_at) AS last_end, count(*) FILTER (WHERE expires_at > now())::integer AS valid FROM ended`,
);

/**
 * Makes the secrets of a trigger expire after the overlap, and deletes those that have expired. Call it in a
 * transaction.
 */
export async function endSigningSecrets(
  db: Db,
  orgId: string,
  triggerId: string,
  overlapMs: number,
): Promise<EndedSecrets> {
  const [ended] = await db.query(end, [orgId, triggerId, overlapMs]);
  await removeEndedSigningSecrets(db, orgId, triggerId);
  return { lastEnd: ended!.last_end, valid: ended!.valid };
}

const removeEnded = statement<never>(
  'webhook_signing_secrets.remove_ended',
  'DELETE FROM webhook_signing_secrets WHERE org_id = $1 AND trigger_id = coalesce($2, trigger_id) AND expires_at <= now()',
);

/** Deletes the expired secrets of one or all triggers of an organization, since they could still be decrypted. */
export async function removeEndedSigningSecrets(db: Db, orgId: string, triggerId?: string): Promise<void> {
  await db.query(removeEnded, [orgId, triggerId ?? null]);
}

/** Lists the valid secrets, the newest first. */
export const listSigningSecrets = listWith<SealedValue, [orgId: string, triggerId: string]>(
  'webhook_signing_secrets.valid',
  `SELECT key_id, ciphertext FROM webhook_signing_secrets
   WHERE org_id = $1 AND trigger_id = $2 AND (expires_at IS NULL OR expires_at > now()) ORDER BY id DESC`,
);
