import type { Actor, OperationContext } from '@relata/events';
import { reencryption } from './reencrypt.sql.ts';
import { placeOf } from './secret-place.ts';
import type { SecretKeys } from './secret-keys.ts';
import { unsealed } from './secret.sql.ts';

const secrets = reencryption({
  table: 'organization_secrets',
  key: ['name'],
  place: (orgId, name) => placeOf({ orgId, name }),
  open: (keys, orgId, name, sealed) => unsealed(keys, { orgId, name }, sealed),
});

export const listOrganizationsToReencrypt = secrets.listOrganizations;

/**
 * Encrypts an organization's secrets with the first key, so that the other keys can be removed. Returns the names.
 * Throws SecretError and changes nothing if a secret cannot be read.
 */
export function reencryptSecrets(
  { database }: Pick<OperationContext, 'database'>,
  { orgId }: Actor,
  keys: SecretKeys,
): Promise<string[]> {
  return database.transaction((db) => secrets.reencrypt(db, orgId, keys));
}
