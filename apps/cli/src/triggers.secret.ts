import { findApiKeyOrganization, generateCredential, hashCredential, listApiKeys } from '@relata/auth';
import type { Database, Db } from '@relata/db';
import { uuid } from '@relata/schemas';
import { rotateTriggerSecret, selectTriggerKey, type Trigger } from '@relata/workflows';
import { announceTriggerChange } from './announce.ts';
import { CliError } from './cli.error.ts';
import { command } from './command.ts';
import { overlap } from './keys.options.ts';
import { value } from './parameter.ts';
import { noTrigger, requireTrigger, triggerArgument } from './trigger.reference.ts';

export const shownOnce = 'The secret is shown this once: keep it now. Nothing can show it again.';

/** A new secret, and what is kept of it. */
export function newSecret() {
  const secret = generateCredential('trigger');
  return { secret, mark: { hash: hashCredential(secret), lastFour: secret.slice(-4) } };
}

/** Refuses a key that could not open a trigger of the organization. */
export async function requireWebhookKey(db: Db, orgId: string, keyId: string): Promise<void> {
  const owner = await findApiKeyOrganization(db, keyId);
  if (owner === undefined)
    throw new CliError('not_found', `There is no key ${keyId}. See: relata keys list --org ${orgId}`);
  const key = (await listApiKeys(db, orgId)).find(({ id }) => id === keyId);
  const fault = key ? faultOf(key) : 'belongs to another organization';
  if (fault) throw new CliError('validation_error', `The key ${keyId} ${fault}.`);
}

type Key = Awaited<ReturnType<typeof listApiKeys>>[number];

function faultOf({ kind, revoked_at, expires_at, scopes }: Key): string | undefined {
  if (kind !== 'secret') return 'is publishable: a trigger takes a secret key only';
  if (revoked_at !== null) return `was revoked at ${revoked_at}`;
  if (expires_at !== null && Date.parse(expires_at) <= Date.now()) return `expired at ${expires_at}`;
  if (!scopes.includes('webhook')) return 'lacks the scope webhook: make one with relata keys create --scope webhook';
  return undefined;
}

export const rotate = command({
  name: 'rotate',
  summary: 'Make a new secret for a trigger and end the one before',
  arguments: { trigger: triggerArgument },
  options: {
    overlap: value('DURATION', overlap.default(0), 'How long the old one goes on; it ends at once unless given'),
  },
  examples: ['triggers rotate TRIGGER_ID --overlap 1h'],
  run: async (context, { trigger: id, overlap: overlapMs }) => {
    const { org_id: orgId } = await requireTrigger(context.database, id);
    const { secret, mark } = newSecret();
    const rotated = await rotateSecret(context.database, orgId, id, { secret: mark, overlapMs });
    await announceTriggerChange(context, [id]);
    return { ...rotated, secret };
  },
  note: () => shownOnce,
});

type Rotation = Parameters<typeof rotateTriggerSecret>[3];

/** Nothing is kept of a secret for a trigger that a shared key opens. */
function rotateSecret(database: Database, orgId: string, id: string, rotation: Rotation): Promise<Trigger> {
  return database.transaction(async (db) => {
    const rotated = await rotateTriggerSecret(db, orgId, id, rotation);
    if (!rotated) throw noTrigger(id);
    if (rotated.key_id === null) return rotated;
    const ways = `rotate that (relata keys rotate ${rotated.key_id}) or select another (relata triggers select-key)`;
    throw new CliError('conflict', `The trigger ${id} is opened by the API key ${rotated.key_id}: ${ways}.`);
  });
}

export const selectKey = command({
  name: 'select-key',
  summary: 'Let an API key with the scope webhook open a trigger, in place of what opened it before',
  arguments: { trigger: triggerArgument, key: value('KEY', uuid(), 'Id of the key, not the key itself') },
  examples: ['triggers select-key TRIGGER_ID KEY_ID'],
  run: async (context, { trigger: id, key }) => {
    const { database } = context;
    const { org_id: orgId } = await requireTrigger(database, id);
    await requireWebhookKey(database, orgId, key);
    const changed = await database.transaction((db) => selectTriggerKey(db, orgId, id, key));
    await announceTriggerChange(context, [id]);
    return { ...changed! };
  },
});
