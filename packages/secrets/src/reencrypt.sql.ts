import { type Db, statement } from '@relata/db';
import { seal, type SealContext, type SealedValue } from './sealed-value.ts';
import type { EncryptionKeys } from './encryption-keys.ts';

/** A table of sealed values, with the columns `org_id`, `key_id` and `ciphertext`. */
interface SealedTable {
  table: string;
  /** Columns that identify a row of an organization. The ciphertext is bound to the first column. */
  key: readonly [string, ...string[]];
  sealContext(orgId: string, name: string): SealContext;
  /** Decrypts a value; throws if no key reads it. */
  open(keys: EncryptionKeys, orgId: string, name: string, sealed: SealedValue): string;
}

/** Creates the statements that encrypt a table's values with the first key, so that the other keys can be removed. */
export function reencryption({ table, key, sealContext, open }: SealedTable) {
  const organizations = statement<{ org_id: string }>(
    `${table}.organizations_of_other_keys`,
    `SELECT DISTINCT org_id FROM ${table} WHERE key_id <> $1 ORDER BY org_id`,
  );
  // Locks the rows, so that a value set meanwhile is not overwritten with the old one.
  const lockOthers = statement<SealedValue & Record<string, unknown>>(
    `${table}.lock_of_other_keys`,
    `SELECT ${key.join(', ')}, key_id, ciphertext FROM ${table} WHERE org_id = $1 AND key_id <> $2
     ORDER BY ${key.join(', ')} FOR UPDATE`,
  );
  const row = key.map((column, at) => `${column} = $${at + 4}`).join(' AND ');
  const replace = statement<never>(
    `${table}.replace_ciphertext`,
    `UPDATE ${table} SET key_id = $2, ciphertext = $3 WHERE org_id = $1 AND ${row}`,
  );
  return {
    /** Lists the organizations with values encrypted by a key other than the first. */
    listOrganizations: async (db: Db, [{ id }]: EncryptionKeys): Promise<string[]> =>
      (await db.query(organizations, [id])).map(({ org_id: orgId }) => orgId),
    /** Encrypts an organization's values with the first key and returns their names. Call it in a transaction. */
    async reencrypt(db: Db, orgId: string, keys: EncryptionKeys): Promise<string[]> {
      const names = new Set<string>();
      for (const stored of await db.query(lockOthers, [orgId, keys[0].id])) {
        const name = String(stored[key[0]]);
        const { key_id: keyId, ciphertext } = seal(keys, sealContext(orgId, name), open(keys, orgId, name, stored));
        await db.query(replace, [orgId, keyId, ciphertext, ...key.map((column) => stored[column])]);
        names.add(name);
      }
      return [...names];
    },
  };
}
