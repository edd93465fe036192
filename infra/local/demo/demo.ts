import { createOrganization, listOrganizations } from '@relata/auth';
import { noopBus, type OperationContext, operatorActor, within } from '@relata/events';
import type { EncryptionKeys } from '@relata/secrets';
import { fillAcme } from './acme.ts';
import { createDayTriggers } from './day/day-triggers.ts';
import { postDay } from './day/post-day.ts';
import { createDemoTriggers, triggerUrl } from './triggers.ts';
import { openDemoDatabase } from './demo-database.ts';
import { type KeptOrganization, readDemoFile, writeDemoFile } from './demo-file.ts';
import { createKeys, withWebsiteKey } from './keys.ts';
import type { StackOrganization } from '../stack/stack-file.ts';

const siteOwner = 'Acme';

export interface DemoOptions {
  databaseUrl: string;
  /** File that keeps the demo's keys between starts: the database has only their hashes. */
  file: string;
  baseUrl: string;
  /** Keys that encrypt the secrets of senders. Undefined for a demo without a day. */
  signingKeys?: EncryptionKeys | undefined;
}

/**
 * Returns the demo organizations. Creates two in an empty database, and returns those of an earlier start if they
 * exist. Returns none for a database with other data. Keys are written to disk before their hashes are written to the
 * database, so a kill loses no key.
 */
export async function ensureDemo({
  databaseUrl,
  file,
  baseUrl,
  signingKeys,
}: DemoOptions): Promise<StackOrganization[]> {
  await using database = openDemoDatabase(databaseUrl);
  const present = new Set((await listOrganizations(database)).map(({ id }) => id));
  const kept = await readDemoFile(file);
  return await database.transaction(async (db) => {
    // The apps have cached nothing yet, because they are still starting.
    const operating = { database: within(db), bus: noopBus };
    const made =
      present.size === 0
        ? [await createAcme(operating, baseUrl, signingKeys), await createGlobex(operating)]
        : await Promise.all(kept.filter(({ id }) => present.has(id)).map((one) => adapted(operating, one, baseUrl)));
    // Organizations of other databases stay in the file, since their keys cannot be made again.
    const others = kept.filter(({ id }) => !made.some((each) => each.id === id));
    if (made.length > 0) await writeDemoFile(file, [...others, ...made]);
    return made.map(({ key_ids: _ids, day: _day, ...organization }) => organization);
  });
}

/** Returns the organization with URLs at the current address, which may have changed since the demo was created. */
async function adapted(
  operating: OperationContext,
  kept: KeptOrganization,
  baseUrl: string,
): Promise<KeptOrganization> {
  const triggers = (kept.triggers ?? []).map((trigger) => ({ ...trigger, url: triggerUrl(baseUrl, trigger.id) }));
  const moved = { ...kept, triggers };
  return kept.name === siteOwner ? await withWebsiteKey(operating, moved, baseUrl) : moved;
}

/**
 * Posts the demo's day if this database has one that has not been posted. If a start was killed while it posted the
 * day, the next start posts it again. The service recognizes the repeats.
 */
export async function ensureDay(
  { databaseUrl, file, baseUrl, hasChannel }: Omit<DemoOptions, 'signingKeys'> & { hasChannel: boolean },
  orgIds: readonly string[],
): Promise<void> {
  const kept = await readDemoFile(file);
  const organization = kept.find(({ id, day }) => orgIds.includes(id) && day && !day.isPosted);
  if (!organization) return;
  try {
    await postDay({ databaseUrl, baseUrl, organization, hasChannel });
  } finally {
    organization.day!.isPosted = true;
    await writeDemoFile(file, kept);
  }
}

async function createAcme(
  operating: OperationContext,
  baseUrl: string,
  signingKeys: EncryptionKeys | undefined,
): Promise<KeptOrganization> {
  const { id, name } = await createOrganization(operating.database, siteOwner);
  const { keys, webhookKeyId } = await createKeys(operating, id);
  const webhookKey = { id: webhookKeyId, key: keys.webhook };
  const triggers = await createDemoTriggers(operating, operatorActor(id, 'demo'), { webhookKey, baseUrl });
  const filled = await fillAcme(operating.database, id);
  const senders = signingKeys && (await createDayTriggers(operating, operatorActor(id, 'demo'), signingKeys));
  const day = senders && { isPosted: false, senders };
  return await withWebsiteKey(operating, { id, name, keys, ...filled, triggers, ...(day && { day }) }, baseUrl);
}

/** Creates the second organization, which shows that organizations do not see each other. */
async function createGlobex(operating: OperationContext): Promise<KeptOrganization> {
  const { id, name } = await createOrganization(operating.database, 'Globex');
  return { id, name, keys: (await createKeys(operating, id)).keys, users: [], pipelines: [], stages: [], triggers: [] };
}
