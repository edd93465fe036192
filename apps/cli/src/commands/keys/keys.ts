import { createKey, findApiKeyOrganization, listApiKeys, Origin, revokeKey, rotateKey, updateKey } from '@relata/auth';
import type { Db } from '@relata/db';
import { nameText, ScopeName, scopeNames } from '@relata/schemas';
import { z } from 'zod';
import { command, type CommandGroup } from '../../command/command.ts';
import { expiry, overlap } from './key-options.ts';
import { hinted } from '../../output/operation.error.ts';
import { ofOrganization, org } from '../orgs/organization-option.ts';
import { flag, reference, value, values } from '../../command/parameter.ts';

const shownOnce = 'The key is shown only once: store it now.';
const listHint = 'See: relata keys list';

/** Reference to a key. Commands need only its id and its organization. */
const keyReference = {
  noun: 'key',
  list: 'keys list',
  findOrganization: findApiKeyOrganization,
  find: async (_db: Db, orgId: string, id: string) => ({ org_id: orgId, id }),
};

const key = reference('ID', 'Id of the key, not the key itself', keyReference);

const create = command({
  name: 'create',
  summary: 'Create a key',
  options: {
    org,
    scope: values('SCOPE', z.array(ScopeName).max(20).optional(), `Scope, repeatable: ${scopeNames.join(', ')}`),
    name: value('NAME', nameText().optional(), 'Name of the key (default: its scopes)'),
    expires: value('WHEN', expiry.optional(), 'Expiry: a date and time, or a duration such as 90d (default: never)'),
    publishable: flag('Publishable key for web pages: scope chat only, from the given origins only'),
    origin: values(
      'URL',
      z.array(Origin).max(100).default([]),
      'Origin from which a publishable key may be used; repeatable',
    ),
  },
  examples: [
    'keys create --org ORG_ID --scope records:read --scope records:write --expires 90d',
    'keys create --org ORG_ID --publishable --origin https://example.com',
  ],
  check: ({ scope, publishable, origin }) =>
    publishable ? checkPublishable(scope, origin) : checkSecret(scope, origin),
  run: async (
    context,
    { org, scope: scopes = ['chat' as const], name, expires: expires_at, publishable, origin: origins },
  ) => {
    const made = { kind: publishable ? 'publishable' : 'secret', scopes, name, origins, expires_at } as const;
    return createKey(context, context.actorIn(org), made);
  },
  note: () => shownOnce,
});

function checkPublishable(scope: readonly string[] = [], origins: readonly string[]): string | undefined {
  if (scope.some((name) => name !== 'chat')) return '--scope: A publishable key has only the scope chat.';
  return origins.length === 0
    ? '--origin: A publishable key needs at least one origin, like https://example.com.'
    : undefined;
}

function checkSecret(scope: readonly string[] = [], origins: readonly string[]): string | undefined {
  if (scope.length === 0) return `--scope: Is required. It may be: ${scopeNames.join(', ')}.`;
  return origins.length > 0 ? '--origin: Only a key with --publishable has origins.' : undefined;
}

const list = command({
  name: 'list',
  summary: 'List the keys of an organization',
  options: { org },
  examples: ['keys list --org ORG_ID'],
  columns: ['id', 'name', 'kind', 'last_four', 'scopes', 'origins', 'expires_at', 'revoked_at', 'last_used_at'],
  run: ({ database }, { org }) => listApiKeys(database, org),
});

const revoke = command({
  name: 'revoke',
  summary: 'Revoke a key immediately; this cannot be undone',
  arguments: { id: key },
  options: { org: ofOrganization },
  examples: ['keys revoke KEY_ID'],
  run: (context, { id: { org_id: orgId, id } }) =>
    hinted(revokeKey(context, context.actorIn(orgId), id), { not_found: listHint }),
});

const rotate = command({
  name: 'rotate',
  summary: 'Create a new key in place of an old one, which then expires',
  arguments: { id: key },
  options: {
    org: ofOrganization,
    overlap: value(
      'DURATION',
      overlap.default(0),
      'How long the old key stays valid (default: it expires immediately)',
    ),
    expires: value(
      'WHEN',
      expiry.optional(),
      'Expiry of the new key (default: the lifetime that the old key was created with)',
    ),
  },
  examples: ['keys rotate KEY_ID --overlap 1h'],
  run: async (context, { id: { org_id: orgId, id }, overlap: overlapMs, expires: expires_at }) => {
    const rotation = rotateKey(context, context.actorIn(orgId), { id, overlapMs, expires_at });
    const hints = { not_found: listHint, conflict: 'Create a new key: relata keys create' };
    const { old, created } = await hinted(rotation, hints);
    return { ...created, replaces: { id: old.id, expires_at: old.expires_at } };
  },
  note: ({ replaces }) => `${shownOnce}\nThe old key ${replaces.id} ends at ${replaces.expires_at}.`,
});

const update = command({
  name: 'update',
  summary: 'Rename a key, or change the origins of a publishable key',
  arguments: { id: key },
  options: {
    org: ofOrganization,
    name: value('NAME', nameText().optional(), 'Name of the key'),
    origin: values(
      'URL',
      z.array(Origin).max(100).optional(),
      'New origin from which a publishable key may be used; replaces all current origins; repeatable',
    ),
  },
  examples: ['keys update KEY_ID --name "Zapier import"'],
  check: ({ name, origin }) => (name === undefined && origin === undefined ? 'Give --name or --origin.' : undefined),
  run: (context, { id: { org_id: orgId, id }, name, origin: origins }) => {
    const update = updateKey(context, context.actorIn(orgId), { id, name, origins });
    return hinted(update, { not_found: listHint }, { origins: '--origin' });
  },
});

export const keys: CommandGroup = {
  name: 'keys',
  summary: 'API keys and their scopes',
  commands: [create, list, update, revoke, rotate],
};
