import { signatureKindOf, signatureKinds, type SignatureSpec } from '@relata/signatures';
import { z } from 'zod';
import { value } from '../../command/parameter.ts';
import { CliError } from '../../output/cli.error.ts';
import { readSecretValue } from '../secrets/secret-value.ts';

const text = z.string().min(1).optional();

export const secretFile = value(
  'FILE',
  text,
  'File with the signing secret of the sender; - for standard input (default: Relata makes one for github, standard-webhooks and hmac; else standard input)',
);

/** How the sender of a trigger signs, as it is typed. */
export const signatureOptions = {
  signature: value(
    'KIND',
    z.enum(signatureKinds).optional(),
    `How the sender signs: ${signatureKinds.join(', ')} (default: it sends X-Webhook-Secret)`,
  ),
  secret_file: secretFile,
  header: value('NAME', text, 'With --signature hmac: the header of the signature'),
  algorithm: value('NAME', text, 'With --signature hmac: sha1, sha256 or sha512 (default: sha256)'),
  encoding: value('NAME', text, 'With --signature hmac: hex or base64 (default: hex)'),
  prefix: value('TEXT', text, 'With --signature hmac: what stands before the signature in its header'),
  template: value('TEXT', text, 'With --signature hmac: what is signed, of {body} and {timestamp} (default: {body})'),
  timestamp_header: value('NAME', text, 'With --signature hmac: the header of the time, at most 5 minutes away'),
};

type Given = { [Name in Exclude<keyof typeof signatureOptions, 'signature'>]: string | undefined } & {
  signature: (typeof signatureKinds)[number] | undefined;
};

/** Names of options as the operations call them. */
export const signatureLabels = Object.fromEntries([
  ['secret', '--secret-file'],
  ...['header', 'algorithm', 'encoding', 'prefix', 'template'].map((name) => [
    `signature.options.${name}`,
    `--${name}`,
  ]),
  ['signature.options.timestampHeader', '--timestamp-header'],
]) as Record<string, string>;

/** Why these options do not fit each other. */
export function checkSignature({ signature, ...given }: Given & { key: string | undefined }): string | undefined {
  if (signature !== undefined && given.key !== undefined) return 'Give --signature or --key, not both.';
  if (signature === undefined && given.secret_file !== undefined) return '--secret-file needs --signature.';
  const isHmac = Object.values(hmacOptionsOf(given)).some((option) => option !== undefined);
  if (signature !== 'hmac' && isHmac) return '--header and what follows it are for --signature hmac.';
  return signature === 'hmac' && given.header === undefined ? '--signature hmac needs --header.' : undefined;
}

function hmacOptionsOf(given: Omit<Given, 'signature' | 'secret_file'>) {
  const { header, algorithm, encoding, prefix, template, timestamp_header: timestampHeader } = given;
  return { header, algorithm, encoding, prefix, template, timestampHeader };
}

/** What was typed, as the operation reads it; it checks the options of `hmac`. */
export function signatureOf(
  kind: SignatureSpec['kind'],
  given: Omit<Given, 'signature'>,
): z.input<typeof SignatureSpec> {
  const options = Object.entries(hmacOptionsOf(given)).filter(([, option]) => option !== undefined);
  const typed = kind === 'hmac' ? { kind, options: Object.fromEntries(options) } : { kind };
  return typed as z.input<typeof SignatureSpec>;
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
