import { signatureKindOf, signatureKinds, type SignatureSpec } from '@relata/signatures';
import { z } from 'zod';
import { flagOf, value } from '../../command/parameter.ts';
import { CliError } from '../../output/cli.error.ts';
import { readSecretValue } from '../secrets/secret-value.ts';

const text = z.string().min(1).optional();

export const secretFile = value(
  'FILE',
  text,
  'File with the signing secret of the sender; - for standard input (default: Relata makes one for github, standard-webhooks and hmac; else standard input)',
);

const hmacTexts = {
  header: ['NAME', 'the header of the signature'],
  algorithm: ['NAME', 'sha1, sha256 or sha512 (default: sha256)'],
  encoding: ['NAME', 'hex or base64 (default: hex)'],
  prefix: ['TEXT', 'what stands before the signature in its header'],
  template: ['TEXT', 'what is signed, of {body} and {timestamp} (default: {body})'],
  timestamp_header: ['NAME', 'the header of the time, at most 5 minutes away'],
} as const;

type HmacName = keyof typeof hmacTexts;
const hmacNames = Object.keys(hmacTexts) as HmacName[];
const inSpec = (name: HmacName) => (name === 'timestamp_header' ? 'timestampHeader' : name);

const hmacOptions = Object.fromEntries(
  hmacNames.map((name) => [name, value(hmacTexts[name][0], text, `With --signature hmac: ${hmacTexts[name][1]}`)]),
) as Record<HmacName, ReturnType<typeof value<typeof text>>>;

/** How the sender of a trigger signs, as it is typed. */
export const signatureOptions = {
  signature: value(
    'KIND',
    z.enum(signatureKinds).optional(),
    `How the sender signs: ${signatureKinds.join(', ')} (default: it sends X-Webhook-Secret)`,
  ),
  secret_file: secretFile,
  ...hmacOptions,
};

type Given = Record<HmacName | 'secret_file', string | undefined> & {
  signature: (typeof signatureKinds)[number] | undefined;
};

/** Names of options as the operations call them. */
export const signatureLabels: Record<string, string> = {
  secret: '--secret-file',
  ...Object.fromEntries(hmacNames.map((name) => [`signature.options.${inSpec(name)}`, flagOf(name)])),
};

/** Why these options do not fit each other. */
export function checkSignature({ signature, ...given }: Given & { key: string | undefined }): string | undefined {
  if (signature !== undefined && given.key !== undefined) return 'Give --signature or --key, not both.';
  if (signature === undefined && given.secret_file !== undefined) return '--secret-file needs --signature.';
  const isHmac = hmacNames.some((name) => given[name] !== undefined);
  if (signature !== 'hmac' && isHmac) return '--header and what follows it are for --signature hmac.';
  return signature === 'hmac' && given.header === undefined ? '--signature hmac needs --header.' : undefined;
}

/** Returns the typed options in the form of the operation, which checks them. */
export function signatureOf(
  kind: SignatureSpec['kind'],
  given: Omit<Given, 'signature'>,
): z.input<typeof SignatureSpec> {
  const options = hmacNames.flatMap((name) => (given[name] === undefined ? [] : [[inSpec(name), given[name]]]));
  return (kind === 'hmac' ? { kind, options: Object.fromEntries(options) } : { kind }) as z.input<typeof SignatureSpec>;
}

/** The sender's secret; undefined where one of ours is to be made. */
export async function readSenderSecret(kind: SignatureSpec['kind'], file: string | undefined) {
  if (file === undefined && takesOurs[kind]) return undefined;
  const secret = await readSecretValue(file);
  if (secret !== '') return secret;
  throw new CliError('validation_error', "The sender's secret is empty: give --secret-file, or it on standard input.");
}

/** Senders that take a secret which we make. */
const takesOurs = Object.fromEntries(
  signatureKinds.map((kind) => [kind, kind === 'hmac' || signatureKindOf({ kind }).secret.isOurs]),
) as Record<SignatureSpec['kind'], boolean>;
