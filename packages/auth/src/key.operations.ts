import { type Db, statement } from '@relata/db';
import { type Actor, type OperationContext, readInput } from '@relata/events';
import { keyChanged } from '@relata/messaging';
import { AppError } from '@relata/schemas';
import type { z } from 'zod';
import { type ApiKey, createApiKey, revokeApiKey, rotateApiKey, setApiKeyOrigins } from './api-key.sql.ts';
import { KeyRotation, NewKey, Origins } from './key.schema.ts';

/** Creates a key. `key` is returned this once and stored nowhere. */
export async function createKey(
  { database }: Pick<OperationContext, 'database'>,
  { orgId }: Actor,
  input: z.input<typeof NewKey>,
): Promise<ApiKey & { key: string }> {
  const { kind, name, origins, expiresAt = null, ...given } = readInput(NewKey, input);
  const scopes = [...new Set(given.scopes)];
  const made = { kind, scopes, name: name ?? scopes.join(', '), origins: [...new Set(origins)], expiresAt };
  return createApiKey(database, orgId, made);
}

/** Revokes a key; running services refuse it at once. Throws `not_found`. */
export async function revokeKey({ database, bus }: OperationContext, { orgId }: Actor, id: string): Promise<ApiKey> {
  const found = await revokeApiKey(database, orgId, id);
  if (!found) throw noKey(id);
  const { key_hash: hash, ...revoked } = found;
  await bus.publish(keyChanged, { hash });
  return revoked;
}

/** Gives a publishable key other web pages; undefined where the organization has none of this id. */
export async function setKeyOrigins(
  { database, bus }: OperationContext,
  { orgId }: Actor,
  { id, origins }: { id: string; origins: readonly string[] },
): Promise<ApiKey | undefined> {
  const found = await setApiKeyOrigins(database, orgId, id, readInput(Origins, origins));
  if (!found) return undefined;
  const { key_hash: hash, ...changed } = found;
  await bus.publish(keyChanged, { hash });
  return changed;
}

interface KeyLife {
  revoked_at: string | null;
  expires_at: string | null;
  created_at: string;
  has_expired: boolean;
}

const lock = statement<KeyLife>(
  'api_keys.lock',
  `SELECT revoked_at, expires_at, created_at, coalesce(expires_at <= now(), false) AS has_expired
   FROM api_keys WHERE org_id = $1 AND id = $2 FOR UPDATE`,
);

/** Creates the successor of a key and ends the old one after its overlap. A key that has ended has no successor. */
export async function rotateKey(
  { database, bus }: OperationContext,
  { orgId }: Actor,
  input: z.input<typeof KeyRotation>,
): Promise<{ old: ApiKey; created: ApiKey & { key: string } }> {
  const { id, overlapMs, expiresAt } = readInput(KeyRotation, input);
  const rotated = await database.transaction(async (db) => {
    const life = await getLife(db, orgId, id);
    return rotateApiKey(db, orgId, id, { overlapMs, expiresAt: expiresAt ?? sameSpan(life) });
  });
  if (!rotated) throw noKey(id);
  const { key_hash: hash, ...old } = rotated.old;
  await bus.publish(keyChanged, { hash });
  return { old, created: rotated.created };
}

async function getLife(db: Db, orgId: string, id: string): Promise<KeyLife> {
  const [life] = await db.query(lock, [orgId, id]);
  if (!life) throw noKey(id);
  if (life.revoked_at !== null) throw ended(id, `was revoked at ${life.revoked_at}`);
  if (life.has_expired) throw ended(id, `expired at ${life.expires_at}`);
  return life;
}

/** The successor gets the lifetime of the old key: one made for 90 days must not live for ever once it is rotated. */
function sameSpan({ expires_at, created_at }: KeyLife): string | null {
  return expires_at === null
    ? null
    : new Date(Date.now() + Date.parse(expires_at) - Date.parse(created_at)).toISOString();
}

const noKey = (id: string) => new AppError('not_found', `There is no key ${id}.`);

const ended = (id: string, how: string) => new AppError('conflict', `The key ${id} ${how}.`);
