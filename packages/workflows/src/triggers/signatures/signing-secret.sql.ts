import { type Db, newId, statement } from '@relata/db';
import type { SealedPlace, SealedValue } from '@relata/secrets';

/** The row that a sender's secret is bound to. */
export function signingPlace(orgId: string, triggerId: string): SealedPlace {
  return { purpose: 'relata sender secret', orgId, name: triggerId };
}

const insert = statement<never>(
  'webhook_signing_secrets.insert',
  `INSERT INTO webhook_signing_secrets (org_id, trigger_id, id, key_id, ciphertext) VALUES ($1, $2, $3, $4, $5)`,
);

/** Adds a secret without an end. */
export async function insertSigningSecret(
  db: Db,
  orgId: string,
  triggerId: string,
  sealed: SealedValue,
): Promise<void> {
  await db.query(insert, [orgId, triggerId, newId(), sealed.key_id, sealed.ciphertext]);
}

const end = statement<{ last_end: string | null; valid: number }>(
  'webhook_signing_secrets.end',
  `WITH ended AS (
     UPDATE webhook_signing_secrets SET expires_at = least(expires_at,
       date_trunc('milliseconds', now()) + make_interval(secs => $3::float8 / 1000))
     WHERE org_id = $1 AND trigger_id = $2 RETURNING expires_at
   ) SELECT max(expires_at) AS last_end, count(*) FILTER (WHERE expires_at > now())::integer AS valid FROM ended`,
);

/** Ends all secrets after the overlap: when the last of them does, and how many are still valid. */
export async function endSigningSecrets(db: Db, orgId: string, triggerId: string, overlapMs: number) {
  const [ended] = await db.query(end, [orgId, triggerId, overlapMs]);
  return { lastEnd: ended!.last_end, valid: ended!.valid };
}

const removeEnded = statement<never>(
  'webhook_signing_secrets.remove_ended',
  'DELETE FROM webhook_signing_secrets WHERE org_id = $1 AND trigger_id = coalesce($2, trigger_id) AND expires_at <= now()',
);

/** What opens nothing any more need not be kept, as it can be decrypted; of one trigger, or of all. */
export async function removeEndedSigningSecrets(db: Db, orgId: string, triggerId?: string): Promise<void> {
  await db.query(removeEnded, [orgId, triggerId ?? null]);
}

const ofTrigger = statement<SealedValue>(
  'webhook_signing_secrets.valid',
  `SELECT key_id, ciphertext FROM webhook_signing_secrets
   WHERE org_id = $1 AND trigger_id = $2 AND (expires_at IS NULL OR expires_at > now()) ORDER BY id DESC`,
);

/** The secrets that are valid now, the newest first. */
export function listSigningSecrets(db: Db, orgId: string, triggerId: string): Promise<SealedValue[]> {
  return db.query(ofTrigger, [orgId, triggerId]);
}

const organizations = statement<{ org_id: string }>(
  'webhook_signing_secrets.organizations_of_other_keys',
  'SELECT DISTINCT org_id FROM webhook_signing_secrets WHERE key_id <> $1 ORDER BY org_id',
);

/** The organizations that have secrets of another key than this one, for an operator. */
export async function listOrganizationsOfOtherKeys(db: Db, keyId: string): Promise<string[]> {
  return (await db.query(organizations, [keyId])).map(({ org_id: orgId }) => orgId);
}

export interface StoredSigningSecret extends SealedValue {
  trigger_id: string;
  id: string;
}

/** Locked, so that none is removed or replaced meanwhile. */
const lockOthers = statement<StoredSigningSecret>(
  'webhook_signing_secrets.lock_of_other_keys',
  `SELECT trigger_id, id, key_id, ciphertext FROM webhook_signing_secrets WHERE org_id = $1 AND key_id <> $2
   ORDER BY trigger_id, id FOR UPDATE`,
);

/** The organization's secrets of another key than this one. Call it in a transaction. */
export function lockSecretsOfOtherKeys(db: Db, orgId: string, keyId: string): Promise<StoredSigningSecret[]> {
  return db.query(lockOthers, [orgId, keyId]);
}

const replace = statement<never>(
  'webhook_signing_secrets.replace_ciphertext',
  `UPDATE webhook_signing_secrets SET key_id = $4, ciphertext = $5 WHERE org_id = $1 AND trigger_id = $2 AND id = $3`,
);

/** Stores the same secret under another key. */
export async function replaceCiphertext(db: Db, orgId: string, secret: StoredSigningSecret): Promise<void> {
  const { trigger_id: triggerId, id, key_id: keyId, ciphertext } = secret;
  await db.query(replace, [orgId, triggerId, id, keyId, ciphertext]);
}
