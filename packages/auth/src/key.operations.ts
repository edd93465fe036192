import type { Db } from '@relata/db';
import { type Actor, type OperationContext, readInput, writeAuditEvent } from '@relata/events';
import { keyChanged } from '@relata/messaging';
import { AppError, validationError } from '@relata/schemas';
import type { z } from 'zod';
import {
  type ApiKey,
  createApiKey,
  findApiKey,
  lockApiKey,
  type LockedApiKey,
  renameApiKey,
  revokeApiKey,
  rotateApiKey,
  setApiKeyOrigins,
} from './api-key.sql.ts';
import { KeyChange, KeyRotation, NewKey, Origins } from './key.schema.ts';

/** Creates a key. `key` is returned this once and stored nowhere. */
export async function createKey(
  { database }: Pick<OperationContext, 'database'>,
  actor: Actor,
  input: z.input<typeof NewKey>,
): Promise<ApiKey & { key: string }> {
  const { kind, name, origins, expiresAt = null, ...given } = readInput(NewKey, input);
  const scopes = [...new Set(given.scopes)];
  const made = { kind, scopes, name: name ?? scopes.join(', '), origins: [...new Set(origins)], expiresAt };
  return database.transaction(async (db) => {
    const created = await createApiKey(db, actor.orgId, made);
    await writeAuditEvent(db, actor, 'api_key.created', { row: created });
    return created;
  });
}

/** Revokes a key; running services refuse it at once. Throws `not_found`. */
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

/** Gives a publishable key other web pages; undefined where the organization has none of this id. */
export async function setKeyOrigins(
  { database, bus }: OperationContext,
  actor: Actor,
  { id, origins }: { id: string; origins: readonly string[] },
): Promise<ApiKey | undefined> {
  const given = readInput(Origins, origins);
  const found = await database.transaction(async (db) => {
    const before = await lockApiKey(db, actor.orgId, id);
    const row = await setApiKeyOrigins(db, actor.orgId, id, given);
    if (row) await writeAuditEvent(db, actor, 'api_key.updated', { before, row });
    return row;
  });
  if (!found) return undefined;
  const { key_hash: hash, ...changed } = found;
  await bus.publish(keyChanged, { hash });
  return changed;
}

/** Renames a key, or gives a publishable one other web pages. Throws `not_found`, and `validation_error` for a secret one. */
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
    if (name !== undefined) await renameApiKey(db, orgId, id, name);
    if (origins !== undefined) await setApiKeyOrigins(db, orgId, id, [...new Set(origins)]);
    const row = (await findApiKey(db, orgId, id))!;
    await writeAuditEvent(db, actor, 'api_key.updated', { before, row });
    return row;
  });
  await bus.publish(keyChanged, { hash });
  return changed;
}

function requireOriginsFit({ kind }: ApiKey, origins: readonly string[]): void {
  const message =
    kind === 'secret'
      ? 'Only a publishable key is limited to origins.'
      : origins.length === 0
        ? 'A publishable key needs at least one, like https://example.com.'
        : undefined;
  if (message === undefined || (kind === 'secret' && origins.length === 0)) return;
  const code = kind === 'secret' ? 'unknown_field' : 'required';
  throw validationError([{ in: 'body', field: 'origins', code, message }]);
}

/** Creates the successor of a key and ends the old one after its overlap. A key that has ended has no successor. */
export async function rotateKey(
  { database, bus }: OperationContext,
  actor: Actor,
  input: z.input<typeof KeyRotation>,
): Promise<{ old: ApiKey; created: ApiKey & { key: string } }> {
  const { id, overlapMs, expiresAt } = readInput(KeyRotation, input);
  const { old: ended, created } = await database.transaction(async (db) => {
    const before = await getLocked(db, actor.orgId, id);
    refuseEnded(before);
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

/** The successor gets the lifetime of the old key: one made for 90 days must not live for ever once it is rotated. */
function sameSpan({ expires_at, created_at }: ApiKey): string | null {
  return expires_at === null
    ? null
    : new Date(Date.now() + Date.parse(expires_at) - Date.parse(created_at)).toISOString();
}
