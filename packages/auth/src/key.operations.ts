import type { Db } from '@relata/db';
import { type Actor, type OperationContext, readInput, writeAuditEvent } from '@relata/events';
import { keyChanged } from '@relata/messaging';
import { AppError, validationError } from '@relata/schemas/errors';
import type { z } from 'zod';
import {
  type ApiKey,
  changeApiKey,
  createApiKey,
  lockApiKey,
  type LockedApiKey,
  revokeApiKey,
  rotateApiKey,
} from './api-key.sql.ts';
import { KeyChange, KeyRotation, NewKey, originsProblem } from './key.schema.ts';

/** Creates a key. `key` is returned only here and never stored. */
export async function createKey(
  { database }: Pick<OperationContext, 'database'>,
  actor: Actor,
  input: z.input<typeof NewKey>,
): Promise<ApiKey & { key: string }> {
  const { kind, name, origins, expires_at: expiresAt = null, ...given } = readInput(NewKey, input);
  const scopes = [...new Set(given.scopes)];
  const made = { kind, scopes, name: name ?? scopes.join(', '), origins: [...new Set(origins)], expiresAt };
  return database.transaction(async (db) => {
    const created = await createApiKey(db, actor.orgId, made);
    await writeAuditEvent(db, actor, 'api_key.created', { row: created });
    return created;
  });
}

/** Revokes a key; running services refuse it immediately. Throws `not_found`. */
export async function revokeKey({ database, bus }: OperationContext, actor: Actor, id: string): Promise<ApiKey> {
  const { key_hash: hash, ...revoked } = await database.transaction(async (db) => {
    const before = await getLocked(db, actor.orgId, id);
    const row = (await revokeApiKey(db, actor.orgId, id))!;
    await writeAuditEvent(db, actor, 'api_key.revoked', { before, row });
    return row;
  });
  await bus.publish(keyChanged, { hash });
  return revoked;
}

/**
 * Renames a key, or replaces the origins of a publishable one. Throws `not_found`, and `validation_error` for origins
 * of a secret key.
 */
export async function updateKey(
  { database, bus }: OperationContext,
  actor: Actor,
  input: z.input<typeof KeyChange>,
): Promise<ApiKey> {
  const { id, name, origins } = readInput(KeyChange, input);
  const { orgId } = actor;
  const { key_hash: hash, ...changed } = await database.transaction(async (db) => {
    const before = await getLocked(db, orgId, id);
    if (origins !== undefined) requireOriginsFit(before, origins);
    const row = (await changeApiKey(db, orgId, id, name ?? null, origins ? [...new Set(origins)] : null))!;
    await writeAuditEvent(db, actor, 'api_key.updated', { before, row });
    return row;
  });
  await bus.publish(keyChanged, { hash });
  return changed;
}

function requireOriginsFit({ kind }: ApiKey, origins: readonly string[]): void {
  const found = originsProblem(kind, origins);
  if (found) throw validationError([{ in: 'body', field: 'origins', ...found }]);
}

/**
 * Creates the successor of a key. The old key expires after the overlap. Throws `not_found`, and `conflict` if the key
 * has expired, was revoked, or already has a successor: triggers accept that successor, and would stop accepting it if
 * a second one replaced it.
 */
export async function rotateKey(
  { database, bus }: OperationContext,
  actor: Actor,
  input: z.input<typeof KeyRotation>,
): Promise<{ old: ApiKey; created: ApiKey & { key: string } }> {
  const { id, overlapMs, expires_at: expiresAt } = readInput(KeyRotation, input);
  const { old: ended, created } = await database.transaction(async (db) => {
    const before = await getLocked(db, actor.orgId, id);
    refuseEnded(before);
    if (before.replaced_by !== null)
      throw new AppError('conflict', `The key ${id} was replaced by ${before.replaced_by}. Rotate that key instead.`);
    const rotation = { overlapMs, expiresAt: expiresAt ?? sameSpan(before) };
    const rotated = (await rotateApiKey(db, actor.orgId, id, rotation))!;
    await writeAuditEvent(db, actor, 'api_key.created', { row: rotated.created });
    const row = { ...rotated.old, replaced_by: rotated.created.id };
    await writeAuditEvent(db, actor, 'api_key.rotated', { before, row });
    return rotated;
  });
  const { key_hash: hash, ...old } = ended;
  await bus.publish(keyChanged, { hash });
  return { old, created };
}

async function getLocked(db: Db, orgId: string, id: string): Promise<LockedApiKey> {
  const found = await lockApiKey(db, orgId, id);
  if (!found) throw new AppError('not_found', `There is no key ${id}.`);
  return found;
}

function refuseEnded({ id, revoked_at, expires_at, has_expired }: LockedApiKey): void {
  if (revoked_at !== null) throw new AppError('conflict', `The key ${id} was revoked at ${revoked_at}.`);
  if (has_expired) throw new AppError('conflict', `The key ${id} expired at ${expires_at}.`);
}

/**
 * Returns the expiry of the successor, which gets the lifetime of the old key: a key made for 90 days must not last
 * forever after a rotation.
 */
function sameSpan({ expires_at, created_at }: ApiKey): string | null {
  return expires_at === null
    ? null
    : new Date(Date.now() + Date.parse(expires_at) - Date.parse(created_at)).toISOString();
}
