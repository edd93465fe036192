import { type Db, statement } from '@relata/db';
import type { Actor, OperationContext } from '@relata/events';
import { seal, type SealedValue } from './sealed-value.ts';
import { placeOf } from './secret-place.ts';
import type { SecretKeys } from './secret-keys.ts';
import { unsealed } from './secret.sql.ts';

const listOrganizations = statement<{ org_id: string }>(
  'organization_secrets.organizations_of_other_keys',
  'SELECT DISTINCT org_id FROM organization_secrets WHERE key_id <> $1 ORDER BY org_id',
);

/** The organizations that have secrets of another key than the first, for an operator. */
export async function listOrganizationsToReencrypt(db: Db, [{ id }]: SecretKeys): Promise<string[]> {
  return (await db.query(listOrganizations, [id])).map(({ org_id: orgId }) => orgId);
}

/** Locked, so that a value which is set meanwhile is not put back. */
const lockOthers = statement<SealedValue & { name: string }>(
  'organization_secrets.lock_of_other_keys',
  `SELECT name, key_id, ciphertext FROM organization_secrets WHERE org_id = $1 AND key_id <> $2
   ORDER BY name FOR UPDATE`,
);

/** The value stays as it was, and so does the time at which it was set. */
const replace = statement<never>(
  'organization_secrets.replace_ciphertext',
  'UPDATE organization_secrets SET key_id = $3, ciphertext = $4 WHERE org_id = $1 AND name = $2',
);

/**
 * Encrypts an organization's secrets with the first key, so that the others can go; returns the names. Throws SecretError
 * where one cannot be read, and changes none then.
 */
export function reencryptSecrets(
  { database }: Pick<OperationContext, 'database'>,
  { orgId }: Actor,
  keys: SecretKeys,
): Promise<string[]> {
  return database.transaction(async (db) => {
    const rows = await db.query(lockOthers, [orgId, keys[0].id]);
    for (const { name, ...sealed } of rows) {
      const place = { orgId, name };
      const { key_id: keyId, ciphertext } = seal(keys, placeOf(place), unsealed(keys, place, sealed));
      await db.query(replace, [orgId, name, keyId, ciphertext]);
    }
    return rows.map(({ name }) => name);
  });
}
