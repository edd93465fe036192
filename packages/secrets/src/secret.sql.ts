import { createHash } from 'node:crypto';
import { type Db, listWith, statement } from '@relata/db';
import { type Actor, type OperationContext, writeAuditEvent } from '@relata/events';
import { AppError } from '@relata/schemas/errors';
import { reencryption } from './reencrypt.sql.ts';
import { seal, type SealContext, type SealedValue, unseal, whyUnreadable } from './sealed-value.ts';
import { SecretError } from './secret.error.ts';
import type { EncryptionKeys } from './encryption-keys.ts';
import { checkSecret, type NewSecret, secretsMax } from './secret.rules.ts';

/** A secret in a list; its value is never shown. */
export interface Secret {
  org_id: string;
  name: string;
  /** Id of the key of `SECRETS_KEY` that encrypts it. */
  key_id: string;
  created_at: string;
  updated_at: string;
}

const sealContextOf = (orgId: string, name: string): SealContext => ({ purpose: 'relata secret', orgId, name });

const columns = 'org_id, name, key_id, created_at, updated_at';

/** Serializes changes to the secrets of an organization, so that concurrent changes cannot exceed `secretsMax`. */
const lockOrganization = statement<{ id: string }>(
  'organization_secrets.lock_organization',
  'SELECT id FROM organizations WHERE id = $1 FOR NO KEY UPDATE',
);

const upsert = statement<Secret & { is_new: boolean }>(
  'organization_secrets.set',
  `INSERT INTO organization_secrets AS s (org_id, name, key_id, ciphertext) VALUES ($1, $2, $3, $4)
   ON CONFLICT (org_id, name) DO UPDATE SET
     key_id = excluded.key_id, ciphertext = excluded.ciphertext, updated_at = now()
   RETURNING ${columns}, (SELECT count(*) FROM organization_secrets o WHERE o.org_id = s.org_id AND o.name = s.name) = 0
     AS is_new`,
);

const count = statement<{ n: number }>(
  'organization_secrets.count',
  'SELECT count(*)::integer AS n FROM organization_secrets WHERE org_id = $1 AND name <> $2',
);

/** Sets a secret of an organization, replacing its previous value. Throws AppError. */
export async function setSecret(
  { database }: Pick<OperationContext, 'database'>,
  actor: Actor,
  secret: NewSecret,
  keys: EncryptionKeys,
): Promise<Secret & { action: 'created' | 'updated' }> {
  checkSecret(secret);
  const { orgId } = actor;
  const { name, value } = secret;
  const { key_id: keyId, ciphertext } = seal(keys, sealContextOf(orgId, name), value);
  return database.transaction(async (db) => {
    if ((await db.query(lockOrganization, [orgId])).length === 0)
      throw new AppError('not_found', `There is no organization ${orgId}.`);
    if ((await db.query(count, [orgId, name]))[0]!.n >= secretsMax)
      throw new AppError('conflict', `The organization has ${secretsMax} secrets already.`);
    const [row] = await db.query(upsert, [orgId, name, keyId, ciphertext]);
    const { is_new: isNew, ...set } = row!;
    await (isNew
      ? writeAuditEvent(db, actor, 'secret.created', { row: auditRow(set) })
      : writeAuditEvent(db, actor, 'secret.updated', { row: auditRow(set), hidden: ['value'] }));
    return { ...set, action: isNew ? 'created' : 'updated' };
  });
}

/** Lists secrets without their values. */
export const listSecrets = listWith<Secret, [orgId: string]>(
  'organization_secrets.list',
  `SELECT ${columns} FROM organization_secrets WHERE org_id = $1 ORDER BY name`,
);

const remove = statement<Secret>(
  'organization_secrets.remove',
  `DELETE FROM organization_secrets WHERE org_id = $1 AND name = $2 RETURNING ${columns}`,
);

/** Removes a secret permanently; throws AppError if there is none. */
export async function removeSecret(
  { database }: Pick<OperationContext, 'database'>,
  actor: Actor,
  name: string,
): Promise<Secret> {
  return database.transaction(async (db) => {
    await db.query(lockOrganization, [actor.orgId]);
    const [removed] = await db.query(remove, [actor.orgId, name]);
    if (!removed) throw new AppError('not_found', `The organization has no secret ${name}.`);
    await writeAuditEvent(db, actor, 'secret.removed', { row: auditRow(removed) });
    return removed;
  });
}

function auditRow({ org_id: orgId, name, created_at, updated_at }: Secret) {
  return { id: secretId(orgId, name), name, created_at, updated_at };
}

/**
 * Returns the id of a secret in events, since secrets have no id in the database: a UUID version 8 of its organization
 * and name. A secret that is removed and set again, with any value, keeps this id.
 */
function secretId(orgId: string, name: string): string {
  const bytes = createHash('sha256').update(`relata secret id\0${orgId.toLowerCase()}\0${name}`).digest();
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const find = statement<SealedValue & { name: string }>(
  'organization_secrets.find',
  'SELECT name, key_id, ciphertext FROM organization_secrets WHERE org_id = $1 AND name = ANY ($2::text[])',
);

/** Returns the values of these secrets by name. Throws SecretError if one cannot be read. */
export async function readSecrets(
  db: Db,
  orgId: string,
  names: readonly string[],
  keys: EncryptionKeys | undefined,
): Promise<Readonly<Record<string, string>>> {
  if (!keys) throw new SecretError('secrets_key_missing', 'Secrets cannot be used: SECRETS_KEY is not set.');
  const sealed = new Map((await db.query(find, [orgId, names])).map((row) => [row.name, row]));
  const missing = names.filter((name) => !sealed.has(name));
  if (missing.length > 0)
    throw new SecretError('missing_secret', `The organization has no secret ${missing.join(', ')}.`);
  return Object.fromEntries(names.map((name) => [name, unsealed(keys, orgId, name, sealed.get(name)!)]));
}

/** Decrypts a secret; throws SecretError if no key reads it. */
function unsealed(keys: EncryptionKeys, orgId: string, name: string, sealed: SealedValue): string {
  const value = unseal(keys, sealContextOf(orgId, name), sealed);
  if (value !== undefined) return value;
  const why = whyUnreadable(keys, sealed, 'SECRETS_KEY');
  throw new SecretError('unreadable_secret', `The secret ${name} ${why}. Set it again.`);
}

const secrets = reencryption({
  table: 'organization_secrets',
  key: ['name'],
  sealContext: sealContextOf,
  open: unsealed,
});

export const listOrganizationsToReencrypt = secrets.listOrganizations;

/**
 * Encrypts an organization's secrets with the first key, so that the other keys can be removed. Returns the names.
 * Throws SecretError and changes nothing if a secret cannot be read.
 */
export function reencryptSecrets(
  { database }: Pick<OperationContext, 'database'>,
  { orgId }: Actor,
  keys: EncryptionKeys,
): Promise<string[]> {
  return database.transaction((db) => secrets.reencrypt(db, orgId, keys));
}
