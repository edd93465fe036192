import { findApiKeyOrganization } from '@relata/auth';
import type { Db } from '@relata/db';
import { uuid } from '@relata/schemas';
import { rotateTriggerSecret, selectTriggerKey } from '@relata/workflows';
import { CliError } from '../../output/cli.error.ts';
import { command } from '../../command/command.ts';
import { overlap } from '../keys/key-options.ts';
import { hinted, type Hints } from '../../output/operation.error.ts';
import { value } from '../../command/parameter.ts';
import { requireTrigger, triggerArgument } from './trigger-reference.ts';

export const shownOnce = 'The secret is shown only once: store it now.';

/** What to type about a key that cannot open a trigger. */
export const keyHints: Hints = { validation_error: 'Create one: relata keys create --scope webhook' };

/** Refuses a key that the organization does not have; the owner of another one's is not a secret of this program. */
export async function requireKeyOf(db: Db, orgId: string, keyId: string): Promise<void> {
  const owner = await findApiKeyOrganization(db, keyId);
  if (owner === undefined)
    throw new CliError('not_found', `There is no key ${keyId}. See: relata keys list --org ${orgId}`);
  if (owner !== orgId) throw new CliError('validation_error', `The key ${keyId} belongs to another organization.`);
}

export const rotate = command({
  name: 'rotate',
  summary: 'Create a new secret for a trigger, and end the old one',
  arguments: { trigger: triggerArgument },
  options: {
    overlap: value('DURATION', overlap.default(0), 'How long the old one stays valid (default: it ends at once)'),
  },
  examples: ['triggers rotate TRIGGER_ID --overlap 1h'],
  run: async (context, { trigger: id, overlap: overlapMs }) => {
    const { org_id: orgId, key_id: keyId } = await requireTrigger(context.database, id);
    const rotation = rotateTriggerSecret(context, context.actorIn(orgId), { id, overlapMs });
    const conflict = `Rotate that (relata keys rotate ${keyId}) or select another (relata triggers select-key).`;
    const { trigger, secret } = await hinted(rotation, { conflict });
    return { ...trigger, secret };
  },
  note: () => shownOnce,
});

export const selectKey = command({
  name: 'select-key',
  summary: 'Let senders use an API key with the scope webhook, instead of its current secret or key',
  arguments: { trigger: triggerArgument, key: value('KEY', uuid(), 'Id of the key, not the key itself') },
  examples: ['triggers select-key TRIGGER_ID KEY_ID'],
  run: async (context, { trigger: id, key }) => {
    const { org_id: orgId } = await requireTrigger(context.database, id);
    await requireKeyOf(context.database, orgId, key);
    const selection = selectTriggerKey(context, context.actorIn(orgId), { id, keyId: key });
    return { ...(await hinted(selection, keyHints, { keyId: 'KEY' })) };
  },
});
