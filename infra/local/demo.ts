import { rename, writeFile } from 'node:fs/promises';
import { createApiKey, createOrganization, listOrganizations } from '@relata/auth';
import { type Db, openDatabase } from '@relata/db';
import { fillAcme } from './demo.acme.ts';
import { createDemoTriggers, triggerUrl } from './demo.triggers.ts';
import { readDemoFile } from './demo.file.ts';
import type { StackOrganization } from './stack-file.ts';

export interface DemoOptions {
  databaseUrl: string;
  /** Where the demo's keys are kept between starts: the database has only their hashes. */
  file: string;
  baseUrl: string;
}

/**
 * Two demo organizations in an empty database; those of an earlier start in one that has them; none in a database
 * that has its own data. The keys are on disk before the database has their hashes, so a kill loses neither.
 */
export async function ensureDemo({ databaseUrl, file, baseUrl }: DemoOptions): Promise<StackOrganization[]> {
  await using database = openDatabase({ url: databaseUrl, name: 'relata-demo', poolMax: 2 });
  const present = new Set((await listOrganizations(database)).map(({ id }) => id));
  const kept = await readDemoFile(file);
  if (present.size > 0) return kept.filter(({ id }) => present.has(id)).map((one) => at(baseUrl, one));
  return await database.transaction(async (db) => {
    const made = [await createAcme(db, baseUrl), await createGlobex(db)];
    await writePrivately(file, made);
    return made;
  });
}

/** The address may be another one than at the start that made the demo. */
function at(baseUrl: string, { triggers = [], ...organization }: StackOrganization): StackOrganization {
  return {
    ...organization,
    triggers: triggers.map((trigger) => ({ ...trigger, url: triggerUrl(baseUrl, trigger.id) })),
  };
}

async function createAcme(db: Db, baseUrl: string): Promise<StackOrganization> {
  const { id, name } = await createOrganization(db, 'Acme');
  const { keys, webhookKeyId } = await createKeys(db, id);
  const triggers = await createDemoTriggers(db, {
    orgId: id,
    webhookKey: { id: webhookKeyId, key: keys.webhook },
    baseUrl,
  });
  return { id, name, keys, ...(await fillAcme(db, id)), triggers };
}

/** The neighbour, to try that organizations do not see each other. */
async function createGlobex(db: Db): Promise<StackOrganization> {
  const { id, name } = await createOrganization(db, 'Globex');
  return { id, name, keys: (await createKeys(db, id)).keys, users: [], pipelines: [], stages: [], triggers: [] };
}

async function createKeys(db: Db, orgId: string) {
  const create = (name: string, scopes: Parameters<typeof createApiKey>[2]['scopes']) =>
    createApiKey(db, orgId, { name, kind: 'secret', scopes });
  const full = await create('Demo: full', ['records:read', 'records:write', 'activities:write', 'chat']);
  const readOnly = await create('Demo: read only', ['records:read']);
  const chat = await create('Demo: chat', ['chat']);
  const webhook = await create('Demo: webhook', ['webhook']);
  const keys = { full: full.key, read_only: readOnly.key, chat: chat.key, webhook: webhook.key };
  return { keys, webhookKeyId: webhook.id };
}

async function writePrivately(file: string, content: unknown): Promise<void> {
  await writeFile(`${file}.tmp`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.tmp`, file);
}
