import { z } from 'zod';
import { instant } from '../fields/instant.ts';
import { shortText, nameText } from '../fields/text.ts';
import { dataSchema } from '../lists/list.ts';
import { ScopeName } from '../scopes.ts';
import { consoleOperation } from './shared/console-operation.ts';
import { Author } from './shared/author.schema.ts';
import { wholeListSchema, id, overlapSeconds, time } from './shared/page.schema.ts';

const Key = z.object({
  id,
  name: z.string(),
  kind: z.enum(['secret', 'publishable']),
  prefix: z.string(),
  last_four: z.string(),
  scopes: z.array(ScopeName),
  origins: z.array(z.string()),
  expires_at: time.nullable(),
  revoked_at: time.nullable(),
  /** Precise to about 5 seconds. */
  last_used_at: time.nullable(),
  created_at: time,
  /** Id of the key that replaced this key. */
  replaced_by: id.nullable(),
  triggers: z.array(z.object({ id, name: z.string() })),
  /** Null if the event that names the author has been deleted. */
  made_by: Author.nullable(),
});

export type Key = z.output<typeof Key>;

const secret = z.string();

const origins = () => z.array(shortText()).max(100);

export const listKeys = consoleOperation('get', '/orgs/{org}/keys', {
  permission: 'manage',
  success: { status: 200, body: wholeListSchema(Key) },
});

export const createKey = consoleOperation('post', '/orgs/{org}/keys', {
  permission: 'manage',
  answersSecret: true,
  body: z.strictObject({
    kind: z.enum(['secret', 'publishable']),
    name: nameText(),
    scopes: z.array(ScopeName).min(1).max(20),
    /** For a publishable key: origins of its pages. */
    origins: origins().optional(),
    expires_at: instant().nullish(),
  }),
  example: { kind: 'secret', name: 'Zapier import', scopes: ['records:read', 'records:write'] },
  success: { status: 201, body: dataSchema(z.object({ key: Key, secret })) },
});

export const updateKey = consoleOperation('patch', '/orgs/{org}/keys/{id}', {
  permission: 'manage',
  body: z.strictObject({ name: nameText().optional(), origins: origins().optional() }),
  example: { name: 'Zapier' },
  success: { status: 200, body: dataSchema(Key) },
});

/** The new key has the name, scopes and origins of the old one. */
export const rotateKey = consoleOperation('post', '/orgs/{org}/keys/{id}/rotate', {
  permission: 'manage',
  answersSecret: true,
  body: z.strictObject({
    overlap_seconds: overlapSeconds(),
    /** Expiry of the new key; by default that of the old one. */
    expires_at: instant().nullish(),
  }),
  example: { overlap_seconds: 3_600 },
  success: { status: 201, body: dataSchema(z.object({ key: Key, secret, old: Key })) },
  errors: ['conflict'],
});

export const revokeKey = consoleOperation('post', '/orgs/{org}/keys/{id}/revoke', {
  permission: 'manage',
  success: { status: 200, body: dataSchema(Key) },
});
