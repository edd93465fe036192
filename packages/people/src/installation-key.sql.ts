import { type Db, statement } from '@relata/db';

const find = statement<{ key: Buffer }>('installation_keys.find', 'SELECT key FROM installation_keys WHERE name = $1');

/** Returns a key that a migration created; it is the same for all replicas. */
export async function getInstallationKey(db: Db, name: 'known-browsers'): Promise<Buffer> {
  const [row] = await db.query(find, [name]);
  if (!row) throw new Error(`The table installation_keys has no key ${name}.`);
  return row.key;
}
