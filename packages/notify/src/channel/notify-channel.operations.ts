import { type Db, findWith, firstRow, statement } from '@relata/db';
import { type Actor, type OperationContext, readInput, writeAuditEvent } from '@relata/events';
import { orNotFound } from '@relata/schemas/errors';
import { reencryption, seal, type EncryptionKeys } from '@relata/secrets';
import type { z } from 'zod';
import { dueNow } from '../kinds/notice-kind.ts';
import { openUrl, sealContextOf } from './channel-url.ts';
import { NewChannel, readChannel } from './notify-channel.rules.ts';
import { findNotifyChannel, type NotifyChannel, shownColumns } from './notify-channel.sql.ts';

type Context = Pick<OperationContext, 'database'>;

const lockOrganization = statement<{ id: string }>(
  'notify_channels.lock_organization',
  'SELECT id FROM organizations WHERE id = $1 FOR NO KEY UPDATE',
);

const upsert = statement<never>(
  'notify_channels.set',
  `INSERT INTO notify_channels (org_id, kind, key_id, ciphertext, host, last_four) VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (org_id) DO UPDATE SET
     kind = excluded.kind, key_id = excluded.key_id, ciphertext = excluded.ciphertext, host = excluded.host,
     last_four = excluded.last_four, updated_at = now(), epoch = notify_channels.epoch + 1,
     claimed_until = NULL, next_at = ${dueNow}, failures = 0, last_error = NULL`,
);

/**
 * Marks all earlier refused posts as reported, so that the new channel does not report them. Takes its locks in the
 * same order as the receiver.
 */
const markReported = statement<never>(
  'webhook_refusal_counts.mark_reported',
  `WITH locked AS MATERIALIZED (
     SELECT org_id, trigger_id, day, reason FROM webhook_refusal_counts WHERE org_id = $1 AND refused > reported
     ORDER BY trigger_id, reason, day FOR UPDATE
   )
   UPDATE webhook_refusal_counts r SET reported = r.refused FROM locked l
   WHERE r.org_id = l.org_id AND r.trigger_id = l.trigger_id AND r.day = l.day AND r.reason = l.reason`,
);

/** Drops notes that were written while the previous channel was being removed. */
const dropNotes = statement<never>(
  'notify_channels.drop_notes',
  `WITH notes AS (DELETE FROM failed_run_notes WHERE org_id = $1)
   DELETE FROM refused_start_notes WHERE org_id = $1`,
);

/** Drops the test message of the previous channel, so that its result is not shown for the new one. */
const dropTest = statement<never>('notices.drop_test', `DELETE FROM notices WHERE org_id = $1 AND kind = 'test'`);

/**
 * Sets the channel of an organization. A first channel reports only later failures. A replacement also gets the
 * messages that have not been sent yet, except a test message. Throws AppError.
 */
export async function setNotifyChannel(
  { database }: Context,
  actor: Actor,
  input: z.input<typeof NewChannel>,
  keys: EncryptionKeys,
): Promise<NotifyChannel> {
  const { orgId } = actor;
  const { url, kind, host, lastFour } = readChannel(readInput(NewChannel, input));
  const { key_id: keyId, ciphertext } = seal(keys, sealContextOf(orgId, kind), url);
  return database.transaction(async (db) => {
    orNotFound(await firstRow(db, lockOrganization, [orgId]), `There is no organization ${orgId}.`);
    const before = await findNotifyChannel(db, orgId);
    if (!before) for (const drop of [markReported, dropNotes]) await db.query(drop, [orgId]);
    await db.query(upsert, [orgId, kind, keyId, ciphertext, host, lastFour]);
    // The channel is locked before its notices, as in the workers.
    if (before) await db.query(dropTest, [orgId]);
    const set = (await findNotifyChannel(db, orgId))!;
    await (before
      ? writeAuditEvent(db, actor, 'notify_channel.updated', {
          before: auditRow(before),
          row: auditRow(set),
          hidden: ['url'],
        })
      : writeAuditEvent(db, actor, 'notify_channel.created', { row: auditRow(set) }));
    return set;
  });
}

const remove = findWith<NotifyChannel, [orgId: string]>(
  'notify_channels.remove',
  `WITH notes AS (DELETE FROM failed_run_notes WHERE org_id = $1),
     start_notes AS (DELETE FROM refused_start_notes WHERE org_id = $1)
   DELETE FROM notify_channels c WHERE c.org_id = $1 RETURNING ${shownColumns}`,
);

/** Removes the channel of an organization and all messages that have not been sent yet. Throws `not_found`. */
export async function removeNotifyChannel({ database }: Context, actor: Actor): Promise<NotifyChannel> {
  return database.transaction(async (db) => {
    await db.query(lockOrganization, [actor.orgId]);
    const removed = orNotFound(await remove(db, actor.orgId), noChannel);
    await writeAuditEvent(db, actor, 'notify_channel.removed', { row: auditRow(removed) });
    return removed;
  });
}

const noChannel = 'The organization has no channel for messages to the team.';

/** Returns a channel as the record of an audit event. Its id is that of the organization. */
function auditRow({ org_id: id, host: name, kind, created_at, updated_at }: NotifyChannel) {
  return { id, name, kind, created_at, updated_at };
}

const request = statement<never>(
  'notices.request_test',
  `WITH channel AS (
     UPDATE notify_channels SET next_at = ${dueNow} WHERE org_id = $1 RETURNING org_id
   )
   INSERT INTO notices AS n (org_id, kind, cause, waiting, since, last_at, due_at)
   SELECT org_id, 'test', '[]', '{"": 1}', now(), now(), ${dueNow} FROM channel
   ON CONFLICT (org_id, kind, cause) DO UPDATE SET waiting = excluded.waiting, sending = '{}', since = now(), last_at = now(),
     due_at = excluded.due_at`,
);

/**
 * Asks the workers for a test message, which they send within seconds. `test` of the channel then has the outcome.
 * Throws `not_found`.
 */
export async function requestTestMessage({ database }: Context, actor: Actor): Promise<NotifyChannel> {
  return database.transaction(async (db) => {
    await db.query(lockOrganization, [actor.orgId]);
    await db.query(request, [actor.orgId]);
    const channel = orNotFound(await findNotifyChannel(db, actor.orgId), noChannel);
    await writeAuditEvent(db, actor, 'notify_channel.tested', { row: auditRow(channel) });
    return channel;
  });
}

const channels = reencryption({ table: 'notify_channels', key: ['kind'], sealContext: sealContextOf, open: openUrl });

export const listOrganizationsToReencryptChannels: (db: Db, keys: EncryptionKeys) => Promise<string[]> =
  channels.listOrganizations;

/** Encrypts an organization's channel with the first key, so that the other keys can be removed. Throws SecretError. */
export async function reencryptNotifyChannel(
  { database }: Context,
  { orgId }: Actor,
  keys: EncryptionKeys,
): Promise<string[]> {
  return database.transaction((db) => channels.reencrypt(db, orgId, keys));
}
