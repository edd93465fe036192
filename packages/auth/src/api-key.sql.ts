import { type Db, findValueWith, findWith, listWith, newId, onlyRow, statement } from '@relata/db';
import type { Scope } from '@relata/schemas';
import type { Caller } from './caller.ts';
import { generateCredential, hashCredential, prefixes } from './key-format.ts';

/** An API key without the credential itself, which is never stored. */
export interface ApiKey {
  id: string;
  org_id: string;
  name: string;
  kind: 'secret' | 'publishable';
  prefix: string;
  last_four: string;
  scopes: Scope[];
  origins: string[];
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  created_at: string;
}

const columns =
  'id, org_id, name, kind, prefix, last_four, scopes, origins, expires_at, revoked_at, last_used_at, created_at';

export interface NewApiKey {
  name: string;
  kind: ApiKey['kind'];
  scopes: readonly Scope[];
  origins?: readonly string[];
  /** Expiry of the new key, in ISO 8601. */
  expiresAt?: string | null;
}

const insert = statement<ApiKey>(
  'api_keys.insert',
  `INSERT INTO api_keys (org_id, id, name, kind, prefix, last_four, key_hash, scopes, origins, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, decode($7, 'hex'), $8, $9, $10) RETURNING ${columns}`,
);

/** Creates a key. `key` is returned only here and never stored. */
export async function createApiKey(db: Db, orgId: string, made: NewApiKey): Promise<ApiKey & { key: string }> {
  const key = generateCredential(made.kind);
  const { name, kind, scopes, origins = [], expiresAt = null } = made;
  const values = [orgId, newId(), name, kind, prefixes[kind], key.slice(-4), hashCredential(key), scopes, origins];
  return { ...(await onlyRow(db, insert, [...values, expiresAt])), key };
}

const findByHashes = statement<CallerRow>(
  'api_keys.callers',
  `SELECT k.org_id, o.name AS org_name, k.id, k.name, k.kind, k.last_four, k.scopes, k.origins, k.expires_at,
          encode(k.key_hash, 'hex') AS key_hash
   FROM unnest($1::text[]) AS g (hash) CROSS JOIN LATERAL (
     SELECT * FROM api_keys WHERE key_hash = decode(g.hash, 'hex') AND revoked_at IS NULL LIMIT 1
   ) k JOIN organizations o ON o.id = k.org_id`,
);

interface CallerRow extends Pick<
  ApiKey,
  'org_id' | 'id' | 'name' | 'kind' | 'last_four' | 'scopes' | 'origins' | 'expires_at'
> {
  org_name: string;
  key_hash: string;
}

export type FoundCaller = Caller & { keyHash: string };

/**
 * Finds the caller of the key with this hash; returns undefined if it is unknown or revoked. Does not check the expiry.
 */
export async function findCaller(db: Db, keyHash: string): Promise<FoundCaller | undefined> {
  const [found] = await findCallers(db, [keyHash]);
  return found;
}

/** Like `findCaller`, for many hashes. Omits unknown and revoked keys, and returns callers in any order. */
export async function findCallers(db: Db, keyHashes: readonly string[]): Promise<FoundCaller[]> {
  return (await db.query(findByHashes, [keyHashes])).map(callerOf);
}

function callerOf(row: CallerRow): FoundCaller {
  return {
    orgId: row.org_id,
    orgName: row.org_name,
    keyId: row.id,
    keyName: row.name,
    kind: row.kind,
    lastFour: row.last_four,
    scopes: new Set(row.scopes),
    origins: row.origins,
    expiresAt: row.expires_at,
    keyHash: row.key_hash,
  };
}

export const listApiKeys = listWith<ApiKey, [orgId: string]>(
  'api_keys.list',
  `SELECT ${columns} FROM api_keys WHERE org_id = $1 ORDER BY id`,
);

export interface LockedApiKey extends ApiKey {
  /** Id of the key that replaced this one. */
  replaced_by: string | null;
  has_expired: boolean;
}

/** Returns a key and locks it until the transaction ends. */
export const lockApiKey = findWith<LockedApiKey, [orgId: string, id: string]>(
  'api_keys.lock',
  `SELECT ${columns}, replaced_by, coalesce(expires_at <= now(), false) AS has_expired
   FROM api_keys WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE`,
);

type HashedApiKey = ApiKey & { key_hash: string };

/** Revokes a key. Returns the key with its hash, which is published to the other processes. */
export const revokeApiKey = findWith<HashedApiKey, [orgId: string, id: string]>(
  'api_keys.revoke',
  `UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE org_id = $1 AND id = $2
   RETURNING ${columns}, encode(key_hash, 'hex') AS key_hash`,
);

/** Sets a key's name and, if it is publishable, its origins; null keeps a value. Returns the key with its hash. */
export const changeApiKey = findWith<
  HashedApiKey,
  [orgId: string, id: string, name: string | null, origins: readonly string[] | null]
>(
  'api_keys.change',
  `UPDATE api_keys SET name = coalesce($3, name),
     origins = CASE kind WHEN 'publishable' THEN coalesce($4, origins) ELSE origins END
   WHERE org_id = $1 AND id = $2
   RETURNING ${columns}, encode(key_hash, 'hex') AS key_hash`,
);

const expire = findWith<HashedApiKey, [orgId: string, id: string, overlapMs: number]>(
  'api_keys.expire',
  `UPDATE api_keys SET expires_at = least(expires_at, now() + make_interval(secs => $3::float8 / 1000))
   WHERE org_id = $1 AND id = $2 AND revoked_at IS NULL
   RETURNING ${columns}, encode(key_hash, 'hex') AS key_hash`,
);

export interface Rotation {
  /** Time for which the old key stays valid together with the new key. */
  overlapMs: number;
  /** Expiry of the new key, in ISO 8601. */
  expiresAt?: string | null;
}

/**
 * Creates the successor of a key, with the same name, kind, scopes and origins; the old key expires after the overlap.
 * Returns undefined if the old key does not exist or is revoked. Call it in a transaction, since it makes three writes.
 */
export async function rotateApiKey(db: Db, orgId: string, id: string, { overlapMs, expiresAt = null }: Rotation) {
  const old = await expire(db, orgId, id, overlapMs);
  if (!old) return undefined;
  const { name, kind, scopes, origins } = old;
  const created = await createApiKey(db, orgId, { name, kind, scopes, origins, expiresAt });
  await replace(db, orgId, id, created.id);
  return { old, created };
}

/** Records the successor on the old key; triggers that select the old key then also accept the successor. */
const replace = listWith<never, [orgId: string, id: string, successorId: string]>(
  'api_keys.replace',
  'UPDATE api_keys SET replaced_by = $3 WHERE org_id = $1 AND id = $2',
);

/** Returns the organization of a key, for an operator who names only the key. */
export const findApiKeyOrganization = findValueWith<string, [id: string]>(
  'api_keys.organization',
  'SELECT org_id FROM api_keys WHERE id = $1',
);

/** Locks rows in the same order under every query plan, so that replicas wait for each other without a deadlock. */
const touch = statement<never>(
  'api_keys.touch',
  `WITH used AS MATERIALIZED (
     SELECT k.org_id, k.id, u.at FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS u (org_id, id, at)
     JOIN api_keys k ON k.org_id = u.org_id AND k.id = u.id
     WHERE k.last_used_at IS NULL OR k.last_used_at < u.at
     ORDER BY k.org_id, k.id FOR NO KEY UPDATE OF k
   )
   UPDATE api_keys k SET last_used_at = used.at FROM used WHERE k.org_id = used.org_id AND k.id = used.id`,
);

export interface KeyUse {
  orgId: string;
  keyId: string;
  at: string;
}

export async function recordKeyUses(db: Db, uses: readonly KeyUse[]): Promise<void> {
  await db.query(touch, [uses.map((use) => use.orgId), uses.map((use) => use.keyId), uses.map((use) => use.at)]);
}
