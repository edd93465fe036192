import { generateCredential } from '@relata/auth';
import { sealedBytes } from '@relata/secrets';
import { type Db, listWith, newId, onlyRow, statement } from '@relata/db';

const insert = statement<never>(
  'webhook_trigger_secrets.insert',
  `INSERT INTO webhook_trigger_secrets (org_id, trigger_id, id, secret_hash, last_four)
   VALUES ($1, $2, $3, decode($4, 'hex'), $5)`,
);

/** The stored part of a trigger's own secret: its SHA-256 in hexadecimal, and its last characters. */
export interface SecretMark {
  hash: string;
  lastFour: string;
}

export async function insertTriggerSecret(db: Db, orgId: string, id: string, mark: SecretMark): Promise<void> {
  await db.query(insert, [orgId, id, newId(), mark.hash, mark.lastFour]);
}

/** Result of ending the secrets of a trigger. */
export interface EndedSecrets {
  /** Last expiry; null if there was no secret. */
  last_end: string | null;
  /** Number of secrets that are valid until then. */
  valid: number;
}

/** Declares functions that end the secrets of triggers in a table. Call them in a transaction. */
export function secretEnds(table: string) {
  const expire = statement<EndedSecrets>(
    `${table}.end`,
    `WITH ended AS (
       UPDATE ${table} SET expires_at = least(expires_at,
         date_trunc('milliseconds', now()) + make_interval(secs => $3::float8 / 1000))
       WHERE org_id = $1 AND trigger_id = $2 RETURNING expires_at
     ) SELECT max(expires_at) AS last_end, count(*) FILTER (WHERE expires_at > now())::integer AS valid FROM ended`,
  );
  const remove = statement<never>(
    `${table}.remove_ended`,
    `DELETE FROM ${table} WHERE org_id = $1 AND trigger_id = coalesce($2, trigger_id) AND expires_at <= now()`,
  );
  /** Deletes the expired secrets of one or all triggers of an organization. */
  const removeEnded = async (db: Db, orgId: string, triggerId?: string): Promise<void> => {
    await db.query(remove, [orgId, triggerId ?? null]);
  };
  /** Makes the secrets of a trigger expire after the overlap, and deletes those that have expired. */
  const end = async (db: Db, orgId: string, triggerId: string, overlapMs: number): Promise<EndedSecrets> => {
    const ended = await onlyRow(db, expire, [orgId, triggerId, overlapMs]);
    await removeEnded(db, orgId, triggerId);
    return ended;
  };
  return { end, removeEnded };
}

export const { end: endTriggerSecrets } = secretEnds('webhook_trigger_secrets');

export const dropTriggerSecrets = listWith<never, [orgId: string, id: string]>(
  'webhook_trigger_secrets.delete',
  'DELETE FROM webhook_trigger_secrets WHERE org_id = $1 AND trigger_id = $2',
);

/**
 * Stored size of a placeholder. Secrets too short to show their last four characters are smaller, unless they have
 * multi-byte characters.
 */
const placeholderBytes = sealedBytes(generateCredential('trigger'));

/** Lists the valid secrets of a trigger, the newest first. A trigger that uses an API key has none. */
export const listTriggerSecrets = listWith<TriggerSecret, [orgId: string, id: string]>(
  'webhook_trigger_secrets.list',
  `SELECT last_four, expires_at, last_used_at, created_at, is_placeholder FROM (
     SELECT org_id, trigger_id, id, last_four, expires_at, last_used_at, created_at, false AS is_placeholder
     FROM webhook_trigger_secrets
     UNION ALL
     SELECT org_id, trigger_id, id, last_four, expires_at, last_used_at, created_at,
       last_four IS NULL AND octet_length(ciphertext) = ${placeholderBytes}
     FROM webhook_signing_secrets
   ) s WHERE org_id = $1 AND trigger_id = $2 AND (expires_at IS NULL OR expires_at > now()) ORDER BY id DESC`,
);

/** The public part of a trigger's secret. */
export interface TriggerSecret {
  /**
   * Null for a secret that is too short to show any of it, and for a signing sender's secret stored before this column
   * existed.
   */
  last_four: string | null;
  /** Null until the secret is rotated. */
  expires_at: string | null;
  /** Time when a sender last authenticated with the secret, accurate to about a minute; null if none has. */
  last_used_at: string | null;
  created_at: string;
  /** True for a placeholder that nobody knows, until the sender's own secret is stored. */
  is_placeholder: boolean;
}
