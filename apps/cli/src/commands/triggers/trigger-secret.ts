import { findApiKeyOrganization } from '@relata/auth';
import type { Db } from '@relata/db';
import { uuid } from '@relata/schemas';
import {
  listOrganizationsToReencryptSigning,
  needsSigningKeys,
  reencryptSigningSecrets,
  rotateTriggerSecret,
  selectTriggerKey,
  type Trigger,
} from '@relata/workflows';
import { CliError } from '../../output/cli.error.ts';
import { command, type CommandContext } from '../../command/command.ts';
import { overlap } from '../keys/key-options.ts';
import { hinted, type Hints } from '../../output/operation.error.ts';
import { value } from '../../command/parameter.ts';
import { eachOrganization } from '../orgs/each-organization.ts';
import { anyOrganization } from '../orgs/organization-option.ts';
import { requireKeys } from '../secrets/secret-keys.ts';
import { readSenderSecret, secretFile, signatureLabels } from './signature-options.ts';
import { triggerArgument } from './trigger-reference.ts';

export const shownOnce = 'The secret is shown only once: store it now.';

/** Hint for a key that lacks the scope `webhook`. */
export const keyHints: Hints = { validation_error: 'Create one: relata keys create --scope webhook' };

/**
 * Throws if the organization does not have the key. The error may say that another organization has it, because
 * operators may know that.
 */
export async function requireKey(db: Db, orgId: string, keyId: string): Promise<void> {
  const owner = await findApiKeyOrganization(db, keyId);
  if (owner === undefined)
    throw new CliError('not_found', `There is no key ${keyId}. See: relata keys list --org ${orgId}`);
  if (owner !== orgId) throw new CliError('validation_error', `The key ${keyId} belongs to another organization.`);
}

export const rotate = command({
  name: 'rotate',
  summary: 'Create a new secret for a trigger; the old one then expires',
  arguments: { trigger: triggerArgument },
  options: {
    secret_file: secretFile,
    overlap: value(
      'DURATION',
      overlap.default(0),
      'How long the old secret stays valid (default: it expires immediately)',
    ),
  },
  examples: [
    'triggers rotate TRIGGER_ID --overlap 1h',
    'triggers rotate TRIGGER_ID --overlap 1h --secret-file stripe.txt',
  ],
  run: async (context, { trigger: before, overlap: overlapMs, secret_file: file }) => {
    const { id, org_id: orgId, key_id: keyId, signature } = before;
    if (signature) return rotateOfKind(context, before, { overlapMs, file });
    if (file !== undefined)
      throw new CliError(
        'validation_error',
        '--secret-file can be used only if the trigger has a kind of sender. Relata creates the secret of this trigger.',
      );
    const rotation = rotateTriggerSecret(context, context.actorIn(orgId), { id, overlapMs });
    const conflict = `Rotate that key (relata keys rotate ${keyId}) or select another one (relata triggers select-key).`;
    const { trigger, secret } = await hinted(rotation, { conflict });
    return { ...trigger, secret };
  },
  note: (rotated) => ('secret' in rotated ? shownOnce : undefined),
});

async function rotateOfKind(
  context: CommandContext,
  { id, org_id: orgId, signature }: Trigger,
  { overlapMs, file }: { overlapMs: number; file: string | undefined },
) {
  const { kind } = signature!;
  const keys = needsSigningKeys(kind) ? requireKeys('SIGNING_KEYS', context.databaseUrl) : undefined;
  const given = { id, overlapMs, secret: await readSenderSecret(kind, file) };
  const rotation = rotateTriggerSecret(context, context.actorIn(orgId), given, keys);
  const { trigger, secret } = await hinted(rotation, {}, signatureLabels);
  return { ...trigger, ...(secret !== undefined && { secret }) };
}

export const selectKey = command({
  name: 'select-key',
  summary: 'Let senders use an API key with the scope webhook, instead of the current secret or key of the trigger',
  arguments: { trigger: triggerArgument, key: value('KEY', uuid(), 'Id of the key, not the key itself') },
  examples: ['triggers select-key TRIGGER_ID KEY_ID'],
  run: async (context, { trigger: { id, org_id: orgId }, key }) => {
    await requireKey(context.database, orgId, key);
    const selection = selectTriggerKey(context, context.actorIn(orgId), { id, keyId: key });
    return hinted(selection, keyHints, { keyId: 'KEY' });
  },
});

export const reencrypt = command({
  name: 'reencrypt',
  summary: "Encrypt senders' secrets with the first key of SIGNING_KEYS, so that the other keys can be removed",
  options: { org: anyOrganization },
  examples: ['triggers reencrypt'],
  columns: ['org_id', 'id'],
  run: async (context, { org }) => {
    const keys = requireKeys('SIGNING_KEYS', context.databaseUrl);
    const list = () => listOrganizationsToReencryptSigning(context.database, keys);
    return eachOrganization(context, org, list, async (orgId) => {
      const ids = await reencryptSigningSecrets(context, context.actorIn(orgId), keys);
      return ids.map((id) => ({ org_id: orgId, id }));
    });
  },
});
