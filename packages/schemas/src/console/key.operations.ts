import { z } from 'zod';
import { instant } from '../fields/instant.ts';
import { lineText, nameText } from '../fields/text.ts';
import { dataOf } from '../list.ts';
import { operation } from '../operation.ts';
import { ScopeName } from '../scopes.ts';
import { orgPath, pathOrg, pathOrgAndId } from './shared/console-path.ts';
import { Author } from './shared/author.schema.ts';
import { allOf, id, time } from './shared/page.schema.ts';

const keys = `${orgPath}/keys` as const;

export const Key = z.object({
  id,
  name: z.string(),
  kind: z.enum(['secret', 'publishable']),
  prefix: z.string().meta({ description: 'What the key begins with: `relata_sk_`.' }),
  last_four: z.string(),
  scopes: z.array(ScopeName),
  origins: z.array(z.string()),
  expires_at: time.nullable(),
  revoked_at: time.nullable(),
  last_used_at: time.nullable().meta({ description: 'To about 5 seconds.' }),
  created_at: time,
  replaced_by: id.nullable().meta({ description: 'The key that took its place.' }),
  triggers: z.array(z.object({ id, name: z.string() })).meta({ description: 'Triggers that the key opens.' }),
  made_by: Author.nullable().meta({ description: '`null` where no event says so any more.' }),
});

export type Key = z.output<typeof Key>;

const secret = z.string().meta({ description: 'The key itself, shown this once and kept nowhere.' });

/** How long what is replaced goes on beside its successor; at most a year. */
export const overlapSeconds = () =>
  z.int().min(0).max(31_536_000).meta({ description: 'How long the old one still works.' });

const origins = () => z.array(lineText()).max(100);

export const listKeys = operation({
  id: 'listKeys',
  method: 'get',
  path: keys,
  summary: 'List the API keys',
  permission: 'manage',
  params: pathOrg,
  success: { status: 200, description: 'All keys, the newest first, those that have ended too.', body: allOf(Key) },
});

export const createKey = operation({
  id: 'createKey',
  method: 'post',
  path: keys,
  summary: 'Create an API key',
  permission: 'manage',
  answersSecret: true,
  params: pathOrg,
  body: z.strictObject({
    kind: z.enum(['secret', 'publishable']),
    name: nameText(),
    scopes: z.array(ScopeName).min(1).max(20),
    origins: origins().optional().meta({ description: 'Of a publishable key: where its pages are.' }),
    expires_at: instant().nullish(),
  }),
  example: { kind: 'secret', name: 'Zapier import', scopes: ['records:read', 'records:write'] },
  success: { status: 201, description: 'The key.', body: dataOf(z.object({ key: Key, secret })) },
});

export const updateKey = operation({
  id: 'updateKey',
  method: 'patch',
  path: `${keys}/{id}`,
  summary: 'Rename an API key, or give a publishable one other origins',
  permission: 'manage',
  params: pathOrgAndId,
  body: z.strictObject({ name: nameText().optional(), origins: origins().optional() }),
  example: { name: 'Zapier' },
  success: { status: 200, description: 'The key as it is now.', body: dataOf(Key) },
});

export const rotateKey = operation({
  id: 'rotateKey',
  method: 'post',
  path: `${keys}/{id}/rotate`,
  summary: 'Replace an API key',
  description: 'The new one has its name, scopes and origins.',
  permission: 'manage',
  answersSecret: true,
  params: pathOrgAndId,
  body: z.strictObject({
    overlap_seconds: overlapSeconds(),
    expires_at: instant()
      .nullish()
      .meta({ description: 'Of the new one; unless given it lasts as long as the old one.' }),
  }),
  example: { overlap_seconds: 3_600 },
  success: { status: 201, description: 'Both keys.', body: dataOf(z.object({ key: Key, secret, old: Key })) },
  errors: ['conflict'],
});

export const revokeKey = operation({
  id: 'revokeKey',
  method: 'post',
  path: `${keys}/{id}/revoke`,
  summary: 'End an API key for good',
  permission: 'manage',
  params: pathOrgAndId,
  success: { status: 200, description: 'The key, which no service accepts any more.', body: dataOf(Key) },
});
