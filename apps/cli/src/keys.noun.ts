import { createApiKey, findApiKeyOrganization, listApiKeys, revokeApiKey } from '@relata/auth';
import { nameText, ScopeName, scopeNames, uuid } from '@relata/schemas';
import { z } from 'zod';
import { announceKeyChange } from './announce.ts';
import { command, type Noun } from './command.ts';
import { expiry, origin, overlap } from './keys.options.ts';
import { noKey, rotateKey } from './keys.rotate.ts';
import { ofOrganization, org, requireOrganization } from './organization.option.ts';
import { flag, value, values } from './parameter.ts';

const shownOnce = 'The key is shown this once: keep it now. Nothing can show it again.';
const keyId = value('ID', uuid(), 'Id of the key, not the key itself');

const create = command({
  name: 'create',
  summary: 'Make a key',
  options: {
    org,
    scope: values(
      'SCOPE',
      z.array(ScopeName).max(20).optional(),
      `What it may do; again for more: ${scopeNames.join(', ')}`,
    ),
    name: value('NAME', nameText().optional(), 'What it is for; its scopes unless given'),
    expires: value(
      'WHEN',
      expiry.optional(),
      'When it ends: an instant, or a duration such as 90d; never unless given',
    ),
    publishable: flag('For a web page: scope chat alone, from the origins given'),
    origin: values(
      'URL',
      z.array(origin).max(100).default([]),
      'Origin of a web page with a publishable key; again for more',
    ),
  },
  examples: [
    'keys create --org ORG_ID --scope records:read --scope records:write --expires 90d',
    'keys create --org ORG_ID --publishable --origin https://example.com',
  ],
  check: ({ scope, publishable, origin }) =>
    publishable ? checkPublishable(scope, origin) : checkSecret(scope, origin),
  run: async ({ database }, { org, scope = ['chat' as const], name, expires, publishable, origin }) => {
    await requireOrganization(database, org);
    const scopes = [...new Set(scope)];
    const kind = publishable ? 'publishable' : 'secret';
    const made = {
      kind,
      scopes,
      name: name ?? scopes.join(', '),
      origins: [...new Set(origin)],
      expiresAt: expires ?? null,
    } as const;
    return { ...(await createApiKey(database, org, made)) };
  },
  note: () => shownOnce,
});

function checkPublishable(scope: readonly string[] = [], origins: readonly string[]): string | undefined {
  if (scope.some((name) => name !== 'chat')) return '--scope: A publishable key has the scope chat and no other.';
  return origins.length === 0 ? '--origin: A publishable key needs at least one, like https://example.com.' : undefined;
}

function checkSecret(scope: readonly string[] = [], origins: readonly string[]): string | undefined {
  if (scope.length === 0) return `--scope: Is required. It may be: ${scopeNames.join(', ')}.`;
  return origins.length > 0 ? '--origin: Only a --publishable key is limited to origins.' : undefined;
}

const list = command({
  name: 'list',
  summary: 'List the keys of an organization',
  options: { org },
  examples: ['keys list --org ORG_ID'],
  columns: ['id', 'name', 'kind', 'last_four', 'scopes', 'origins', 'expires_at', 'revoked_at', 'last_used_at'],
  run: async ({ database }, { org }) => {
    await requireOrganization(database, org);
    return (await listApiKeys(database, org)).map((key) => ({ ...key }));
  },
});

const revoke = command({
  name: 'revoke',
  summary: 'End a key for good, at once',
  arguments: { id: keyId },
  options: { org: ofOrganization },
  examples: ['keys revoke KEY_ID'],
  run: async (context, { id, org }) => {
    const orgId = await findApiKeyOrganization(context.database, id);
    const found = orgId !== undefined && (org ?? orgId) === orgId && (await revokeApiKey(context.database, orgId, id));
    if (!found) throw noKey(id);
    const { key_hash, ...revoked } = found;
    await announceKeyChange(context, key_hash);
    return revoked;
  },
});

const rotate = command({
  name: 'rotate',
  summary: 'Make a successor of a key and end the old one',
  arguments: { id: keyId },
  options: {
    org: ofOrganization,
    overlap: value('DURATION', overlap.default(0), 'How long the old one goes on; it ends at once unless given'),
    expires: value(
      'WHEN',
      expiry.optional(),
      'When the new one ends; unless given it lives as long as the old one was made to',
    ),
  },
  examples: ['keys rotate KEY_ID --overlap 1h'],
  run: async (context, { id, org, overlap, expires }) => {
    const { old, created } = await rotateKey(context.database, {
      id,
      orgId: org,
      overlapMs: overlap,
      expiresAt: expires,
    });
    await announceKeyChange(context, old.key_hash);
    return { ...created, replaces: { id: old.id, expires_at: old.expires_at } };
  },
  note: ({ replaces }) => `${shownOnce}\nThe old key ${replaces.id} ends at ${replaces.expires_at}.`,
});

export const keys: Noun = {
  name: 'keys',
  summary: 'API keys, and what each may do',
  commands: [create, list, revoke, rotate],
};
