import { type Db, statement } from '@relata/db';

/**
 * SQL that locks the secrets to update. Several replicas record uses of the same secret, so a use that is less than
 * 30 s newer than the stored one changes nothing.
 */
const usedRows = (table: string) => `SELECT s.org_id, s.trigger_id, s.id, u.at
     FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[]) AS u (org_id, trigger_id, id, at)
     JOIN ${table} s ON s.org_id = u.org_id AND s.trigger_id = u.trigger_id AND s.id = u.id
     WHERE s.last_used_at IS NULL OR s.last_used_at < u.at - interval '30 seconds'
     ORDER BY s.org_id, s.trigger_id, s.id FOR NO KEY UPDATE OF s`;

const sameRow = 's.org_id = u.org_id AND s.trigger_id = u.trigger_id AND s.id = u.id';

/** Locks rows in one order, whatever the plan, so that replicas wait for each other without a deadlock. */
const touch = statement<never>(
  'webhook_secrets.touch',
  `WITH hashed AS MATERIALIZED (${usedRows('webhook_trigger_secrets')}),
   sealed AS MATERIALIZED (${usedRows('webhook_signing_secrets')}),
   touched AS (
     UPDATE webhook_trigger_secrets s SET last_used_at = u.at FROM hashed u WHERE ${sameRow}
   )
   UPDATE webhook_signing_secrets s SET last_used_at = u.at FROM sealed u WHERE ${sameRow}`,
);

export interface SecretUsage {
  orgId: string;
  triggerId: string;
  secretId: string;
  at: string;
}

/** Stores when senders last authenticated with these secrets, which may be in either table. */
export async function recordSecretUsage(db: Db, uses: readonly SecretUsage[]): Promise<void> {
  await db.query(touch, [
    uses.map(({ orgId }) => orgId),
    uses.map(({ triggerId }) => triggerId),
    uses.map(({ secretId }) => secretId),
    uses.map(({ at }) => at),
  ]);
}
