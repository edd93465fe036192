import { createKey, updateKey } from '@relata/auth';
import { type OperationContext, operatorActor } from '@relata/events';
import type { Scope } from '@relata/schemas';
import { AppError } from '@relata/schemas/errors';
import type { KeptOrganization } from './demo-file.ts';

/** Creates a secret key for each use that the demo shows. */
export async function createKeys(operating: OperationContext, orgId: string) {
  const create = (name: string, scopes: readonly Scope[]) =>
    createKey(operating, operatorActor(orgId, 'demo'), { name, kind: 'secret', scopes });
  const full = await create('Demo: full', [
    'records:read',
    'records:write',
    'records:delete',
    'records:erase',
    'activities:write',
    'settings:write',
    'events:read',
    'chat',
  ]);
  const readOnly = await create('Demo: read only', ['records:read']);
  const chat = await create('Demo: chat', ['chat']);
  const webhook = await create('Demo: webhook', ['webhook']);
  const keys = { full: full.key, read_only: readOnly.key, chat: chat.key, webhook: webhook.key };
  return { keys, webhookKeyId: webhook.id };
}

/**
 * Returns the organization with a valid publishable key for the demo site. The stored key may be missing or wrong: an
 * earlier start may have used a different port or an older release, or may have been killed before it stored the key in
 * the database. A person may have rotated or revoked the key since then.
 */
export async function withWebsiteKey(
  operating: OperationContext,
  organization: KeptOrganization,
  baseUrl: string,
): Promise<KeptOrganization> {
  const { id: orgId, keys, key_ids: keyIds } = organization;
  const actor = operatorActor(orgId, 'demo');
  const origins = originsOf(baseUrl);
  const change = keyIds && { id: keyIds.publishable, origins };
  if (keys.publishable && change && (await isLasting(updateKey(operating, actor, change)))) return organization;
  const site = { name: 'Demo: website', kind: 'publishable', scopes: ['chat'], origins } as const;
  const made = await createKey(operating, actor, site);
  return { ...organization, keys: { ...keys, publishable: made.key }, key_ids: { publishable: made.id } };
}

/**
 * Returns false if the key does not exist, was revoked, or expires. The demo's own keys never expire; a rotation gives
 * them an expiry, which may pass while the stack starts.
 */
async function isLasting(changing: ReturnType<typeof updateKey>): Promise<boolean> {
  try {
    const { revoked_at, expires_at } = await changing;
    return revoked_at === null && expires_at === null;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return false;
    throw error;
  }
}

/** Returns the origins with both host names of this machine, as a browser may use either. */
function originsOf(baseUrl: string): string[] {
  const { port } = new URL(baseUrl);
  return ['127.0.0.1', 'localhost'].map((host) => new URL(`http://${host}:${port}`).origin);
}
