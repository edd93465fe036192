import { createKey, findApiKeyOrganization, listApiKeys, Origin, revokeKey, rotateKey } from '@relata/auth';
import { nameText, ScopeName, scopeNames, uuid } from '@relata/schemas';
import { z } from 'zod';
import { CliError } from '../../output/cli.error.ts';
import { command, type CommandContext, type Noun } from '../../command/command.ts';
import { expiry, overlap } from './key-options.ts';
import { hinted } from '../../output/operation.error.ts';
import { ofOrganization, org } from '../orgs/organization-option.ts';
import { flag, value, values } from '../../command/parameter.ts';

const shownOnce = 'The key is shown this once: keep it now. Nothing can show it again.';
const listHint = 'See: relata keys list';
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
      z.array(Origin).max(100).default([]),
      'Origin of a web page with a publishable key; again for more',
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
    { org, scope: scopes = ['chat' as const], name, expires: expiresAt, publishable, origin: origins },
  ) => {
    const made = { kind: publishable ? 'publishable' : 'secret', scopes, name, origins, expiresAt } as const;
    return { ...(await createKey(context, context.actorIn(org), made)) };
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
  run: async ({ database }, { org }) => (await listApiKeys(database, org)).map((key) => ({ ...key })),
});

const revoke = command({
  name: 'revoke',
  summary: 'End a key for good, at once',
  arguments: { id: keyId },
  options: { org: ofOrganization },
  examples: ['keys revoke KEY_ID'],
  run: async (context, { id, org }) => {
    const actor = await ownerOf(context, id, org);
    return { ...(await hinted(revokeKey(context, actor, id), { not_found: listHint })) };
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
  run: async (context, { id, org, overlap: overlapMs, expires: expiresAt }) => {
    const actor = await ownerOf(context, id, org);
    const rotation = rotateKey(context, actor, { id, overlapMs, expiresAt });
    const hints = { not_found: listHint, conflict: 'Make a new one: relata keys create' };
    const { old, created } = await hinted(rotation, hints);
    return { ...created, replaces: { id: old.id, expires_at: old.expires_at } };
  },
  note: ({ replaces }) => `${shownOnce}\nThe old key ${replaces.id} ends at ${replaces.expires_at}.`,
});

/** Who types, in the organization of a key; that of `--org` where it is named. */
async function ownerOf({ database, actorIn }: CommandContext, id: string, orgId: string | undefined) {
  const owner = await findApiKeyOrganization(database, id);
  if (owner !== undefined && (orgId ?? owner) === owner) return actorIn(owner);
  throw new CliError('not_found', `There is no key ${id}. ${listHint}`);
}

export const keys: Noun = {
  name: 'keys',
  summary: 'API keys, and what each may do',
  commands: [create, list, revoke, rotate],
};
