import { nameText, uuid } from '@relata/schemas';
import { documentUrl } from '@relata/schemas/document-url';
import { describeKind, type SignatureKindName } from '@relata/signatures';
import { createTrigger, needsSigningKeys } from '@relata/workflows';
import { command, type CommandContext } from '../../command/command.ts';
import { value } from '../../command/parameter.ts';
import { hinted } from '../../output/operation.error.ts';
import { org } from '../orgs/organization-option.ts';
import { requireKeys } from '../secrets/secret-keys.ts';
import { repeatKey, repeatKeyLabel } from './repeat-key.ts';
import { setUpText } from './set-up-text.ts';
import {
  checkSignature,
  readSenderSecret,
  readSignature,
  readVerifyToken,
  signatureLabels,
  signatureOptions,
} from './signature-options.ts';
import { findBaseUrl, withUrl } from './trigger-reference.ts';
import { keyHints, requireKey, shownOnce } from './trigger-secret.ts';

export const create = command({
  name: 'create',
  summary: 'Create a trigger: a URL that receives deliveries',
  options: {
    org,
    name: value('NAME', nameText(), 'Name'),
    key: value(
      'KEY_ID',
      uuid().optional(),
      'API key with the scope webhook that senders authenticate with (default: the trigger gets its own secret)',
    ),
    ...signatureOptions,
    repeat_key: { ...repeatKey, schema: repeatKey.schema.optional() },
  },
  examples: [
    'triggers create --org ORG_ID --name "Web form"',
    'triggers create --org ORG_ID --name GitHub --signature github',
    'triggers create --org ORG_ID --name Stripe --signature stripe --secret-follows',
    'triggers create --org ORG_ID --name Legacy --signature basic --user legacy --repeat-key payload.id',
  ],
  check: checkSignature,
  run: async (context, { org, name, key: keyId, signature: kind, repeat_key: repeatKey, ...given }) => {
    if (keyId !== undefined) await requireKey(context.database, org, keyId);
    // Called before anything is created, so that a wrong setting fails here.
    const baseUrl = findBaseUrl(context.databaseUrl);
    const creation =
      kind === undefined
        ? createTrigger(context, context.actorIn(org), { name, keyId, repeatKey })
        : createOfKind(context, { org, name, kind, repeatKey, given });
    const { trigger, secret, verifyToken } = await hinted(creation, keyId === undefined ? {} : keyHints, {
      ...signatureLabels,
      ...repeatKeyLabel,
      keyId: '--key',
    });
    return {
      ...withUrl(trigger, baseUrl),
      ...(secret !== undefined && { secret }),
      ...(verifyToken !== undefined && { verify_token: verifyToken }),
      ...(given.secret_follows && { awaits_secret: true }),
    };
  },
  note: ({
    secret,
    verify_token: verifyToken,
    awaits_secret: awaitsSecret = false,
    url_path: path,
    url,
    ...trigger
  }) => {
    const address = url ?? `https://YOUR-SERVICE${path}`;
    const base = url?.slice(0, -path.length);
    return [
      ...(secret === undefined ? [] : [shownOnce]),
      ...(verifyToken === undefined ? [] : ['The verify token is shown only once: store it now.']),
      trigger.signature
        ? setUpText({ trigger, address, secret, verifyToken, awaitsSecret })
        : senderText({ path, address, secret }),
      `More: ${documentUrl(trigger.signature ? pageOfKind(trigger.signature.kind) : 'webhooks', base)}`,
    ].join('\n');
  },
});

interface KindCreation {
  org: string;
  name: string;
  kind: SignatureKindName;
  repeatKey: string | undefined;
  given: Parameters<typeof readSignature>[1];
}

async function createOfKind(context: CommandContext, { org, name, kind, repeatKey, given }: KindCreation) {
  const keys = needsSigningKeys(kind) ? requireKeys('SIGNING_KEYS', context.databaseUrl) : undefined;
  const secretFollows = given.secret_follows;
  const secret = secretFollows ? undefined : await readSenderSecret(kind, given.secret_file);
  const verifyToken = await readVerifyToken(given.verify_token_file);
  const made = { name, repeatKey, signature: readSignature(kind, given), secret, secretFollows, verifyToken };
  return createTrigger(context, context.actorIn(org), made, keys);
}

interface Sending {
  path: string;
  address: string;
  /** Undefined if an API key authenticates the senders. */
  secret: string | undefined;
}

/** Returns instructions for a sender, with an example command. */
function senderText({ path, address, secret }: Sending): string {
  const shown = secret ?? 'KEY';
  return [
    `Senders post JSON to ${path} of the service, with ${secret === undefined ? 'the key' : 'the secret'} in the header X-Webhook-Secret:`,
    `  curl ${address} -H 'X-Webhook-Secret: ${shown}' -H 'Content-Type: application/json' -d '{"email":"ada@example.com"}'`,
  ].join('\n');
}

/** Returns the page of a kind of sender. All kinds that send their secret instead of signing share one page. */
const pageOfKind = (kind: SignatureKindName) =>
  `senders/${describeKind(kind).proof === 'secret' ? 'repeated-secret' : kind}`;
