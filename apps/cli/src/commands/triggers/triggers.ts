import { nameText, uuid } from '@relata/schemas';
import type { SignatureKindName } from '@relata/signatures';
import { createTrigger, listAssignments, listTriggers, listTriggerSecrets, changeTrigger } from '@relata/workflows';
import { countRefusals } from '@relata/workflows/deliveries';
import { command, type CommandContext, type Noun } from '../../command/command.ts';
import { mappingText } from './input-mapping-option.ts';
import { hinted } from '../../output/operation.error.ts';
import { requireSigningKeys } from '../secrets/secret-keys.ts';
import { org } from '../orgs/organization-option.ts';
import { value } from '../../command/parameter.ts';
import { indented, recordText, tableText } from '../../output/result.format.ts';
import { localBaseUrl, triggerArgument, withUrl } from './trigger-reference.ts';
import { assign, unassign } from './assign.ts';
import { repeatKey, repeatKeyLabel, update } from './repeat-key.ts';
import { sample } from './send-sample.ts';
import {
  checkSignature,
  readSenderSecret,
  signatureLabels,
  readSignature,
  signatureOptions,
} from './signature-options.ts';
import { reencrypt } from './reencrypt.ts';
import { keyHints, requireKey, rotate, selectKey, shownOnce } from './trigger-secret.ts';

const create = command({
  name: 'create',
  summary: 'Create a trigger: a URL that receives deliveries',
  options: {
    org,
    name: value('NAME', nameText(), 'Name'),
    key: value(
      'KEY_ID',
      uuid().optional(),
      'API key with the scope webhook that senders authenticate with (default: a secret of its own)',
    ),
    ...signatureOptions,
    repeat_key: { ...repeatKey, schema: repeatKey.schema.optional() },
  },
  examples: [
    'triggers create --org ORG_ID --name "Web form"',
    'triggers create --org ORG_ID --name GitHub --signature github',
    'triggers create --org ORG_ID --name Stripe --signature stripe --secret-file stripe.txt --repeat-key payload.id',
  ],
  check: checkSignature,
  run: async (context, { org, name, key: keyId, signature: kind, repeat_key: repeatKey, ...given }) => {
    if (keyId !== undefined) await requireKey(context.database, org, keyId);
    const creation =
      kind === undefined
        ? createTrigger(context, context.actorIn(org), { name, keyId, repeatKey })
        : createSigned(context, { org, name, kind, repeatKey, given });
    const { trigger, secret } = await hinted(creation, keyId === undefined ? {} : keyHints, {
      ...signatureLabels,
      ...repeatKeyLabel,
      keyId: '--key',
    });
    return { ...withUrl(trigger, localBaseUrl(context.databaseUrl)), ...(secret !== undefined && { secret }) };
  },
  note: ({ secret, signature, url_path: path, url }) =>
    [
      ...(secret === undefined ? [] : [shownOnce]),
      signature ? signerText(signature.kind, url ?? path) : senderText({ path, url, secret }),
    ].join('\n'),
});

interface SignedCreation {
  org: string;
  name: string;
  kind: SignatureKindName;
  repeatKey: string | undefined;
  given: Parameters<typeof readSignature>[1];
}

async function createSigned(context: CommandContext, { org, name, kind, repeatKey, given }: SignedCreation) {
  const keys = requireSigningKeys(context.databaseUrl);
  const secret = await readSenderSecret(kind, given.secret_file);
  const made = { name, repeatKey, signature: readSignature(kind, given), secret };
  return createTrigger(context, context.actorIn(org), made, keys);
}

const list = command({
  name: 'list',
  summary: 'List the triggers of an organization',
  options: { org },
  examples: ['triggers list --org ORG_ID'],
  columns: ['id', 'name', 'mode', 'active', 'secret_last_four', 'key_id', 'workflows'],
  run: async ({ database, databaseUrl }, { org }) => {
    const baseUrl = localBaseUrl(databaseUrl);
    return (await listTriggers(database, org)).map((trigger) => withUrl(trigger, baseUrl));
  },
});

const show = command({
  name: 'show',
  summary: 'Show a trigger: its secrets, the workflows it starts and how often it refused',
  arguments: { trigger: triggerArgument },
  examples: ['triggers show TRIGGER_ID'],
  run: async ({ database, databaseUrl }, { trigger }) => {
    const { id } = trigger;
    const secrets = await listTriggerSecrets(database, trigger.org_id, id);
    const assignments = (await listAssignments(database, trigger.org_id, id)).map(
      ({ workflow_id, workflow, inputs, filter }) => ({ workflow_id, workflow, inputs, filter }),
    );
    const refused = await countRefusals(database, trigger.org_id, id);
    return { ...withUrl(trigger, localBaseUrl(databaseUrl)), secrets, assignments, refused };
  },
  view: ({ secrets, assignments, refused, workflows: _workflows, ...trigger }) => {
    const started = assignments.map(({ workflow, inputs, filter }) => {
      return indented([workflow, mappingText(inputs), filter && `if ${filter}`].filter(Boolean).join('  '));
    });
    return [
      recordText(trigger),
      `\nSECRETS\n${tableText(secrets, ['last_four', 'created_at', 'expires_at'])}`,
      `\nSTARTS\n${started.join('\n') || 'No workflow.'}`,
      `\nREFUSED IN 7 DAYS\n${tableText(refused, ['reason', 'refused', 'last_refused_at'])}`,
    ].join('\n');
  },
});

const activation = (name: string, summary: string, isActive: boolean) =>
  command({
    name,
    summary,
    arguments: { trigger: triggerArgument },
    examples: [`triggers ${name} TRIGGER_ID`],
    run: (context, { trigger: { id, org_id: orgId } }) =>
      changeTrigger(context, context.actorIn(orgId), { id, isActive }),
  });

const enable = activation('enable', 'Enable a trigger', true);
const disable = activation('disable', 'Disable a trigger: it answers deliveries with 404', false);

interface Sending {
  path: string;
  /** The whole URL, if it is known. */
  url?: string | undefined;
  /** Undefined if an API key authenticates the senders. */
  secret: string | undefined;
}

/** Returns instructions for a sender, with an example command. */
function senderText({ path, url, secret }: Sending): string {
  const shown = secret ?? 'KEY';
  return [
    `Senders post JSON to ${path} of the service, with ${secret === undefined ? 'the key' : 'the secret'} in the header X-Webhook-Secret:`,
    `  curl ${url ?? `https://YOUR-SERVICE${path}`} -H 'X-Webhook-Secret: ${shown}' -H 'Content-Type: application/json' -d '{"email":"ada@example.com"}'`,
  ].join('\n');
}

function signerText(kind: SignatureKindName, address: string): string {
  return `The sender posts JSON to ${address} and signs it (${kind}). What to set there: docs/senders.md`;
}

export const triggers: Noun = {
  name: 'triggers',
  summary: 'URLs that receive deliveries, and the workflows they start',
  commands: [create, update, assign, unassign, list, show, enable, disable, rotate, reencrypt, selectKey, sample],
};
