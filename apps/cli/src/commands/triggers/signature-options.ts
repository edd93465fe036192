import {
  describeKind,
  type OptionField,
  type SignatureKindName,
  signatureKinds,
  type SignatureSpec,
} from '@relata/signatures';
import { z } from 'zod';
import { flag, toFlag, value } from '../../command/parameter.ts';
import { CliError } from '../../output/cli.error.ts';
import { readSecretValue } from '../secrets/secret-value.ts';

const text = z.string().min(1).optional();

const ours = signatureKinds.filter((kind) => describeKind(kind).secret.isOurs);

const checking = signatureKinds.filter((kind) => describeKind(kind).challenge?.by === 'get');

export const secretFile = value(
  'FILE',
  text,
  `File with the secret of the sender; - for standard input (default: Relata makes one for ${ours.join(', ')}; else standard input)`,
);

export const verifyTokenFile = value(
  'FILE',
  text,
  `File with the token with which the sender checks the URL; - for standard input (only ${checking.join(', ')}; default: Relata makes one)`,
);

/** Converts the name of an option in a spec to its name in the command: `timestampHeader` to `timestamp_header`. */
type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Name;
type OptionName = Snake<OptionField>;

/** Options of all kinds, by their names in the command. */
const byName = Map.groupBy(
  signatureKinds.flatMap((kind) =>
    Object.entries(describeKind(kind).optionTexts ?? {}).map(([field, option]) => ({ kind, field, ...option })),
  ),
  ({ field }) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as OptionName,
);

const kindOptions = Object.fromEntries(
  [...byName].map(([name, uses]) => {
    const texts = uses.map(({ kind, text: meaning }) => `with --signature ${kind}, ${meaning}`).join('; ');
    return [name, value(uses[0]!.value, text, texts[0]!.toUpperCase() + texts.slice(1))];
  }),
) as Record<OptionName, ReturnType<typeof value<typeof text>>>;

export const signatureOptions = {
  signature: value(
    'KIND',
    z.enum(signatureKinds).optional(),
    `How the sender proves who it is: ${signatureKinds.join(', ')} (default: it sends X-Webhook-Secret)`,
  ),
  secret_file: secretFile,
  secret_follows: flag(
    'The sender shows its secret only once it has the URL: store it afterwards, with triggers rotate --secret-file',
  ),
  verify_token_file: verifyTokenFile,
  ...kindOptions,
};

type Given = Record<OptionName | 'secret_file' | 'verify_token_file', string | undefined> & { secret_follows: boolean };

/** Options by the field names of the operations. */
export const signatureLabels: Record<string, string> = {
  secret: '--secret-file',
  verifyToken: '--verify-token-file',
  ...Object.fromEntries([...byName].map(([name, [use]]) => [`signature.options.${use!.field}`, toFlag(name)])),
};

type Checked = Given & Record<'key', string | undefined> & { signature: SignatureKindName | undefined };

/** Returns the reason why these options cannot be combined; undefined if they can. */
export function checkSignature({ signature, ...given }: Checked): string | undefined {
  if (signature !== undefined && given.key !== undefined) return 'Give --signature or --key, not both.';
  for (const name of ['secret_file', 'secret_follows', 'verify_token_file'] as const)
    if (signature === undefined && given[name]) return `${toFlag(name)} needs --signature.`;
  if (given.secret_file !== undefined && given.secret_follows)
    return 'Give --secret-file or --secret-follows, not both.';
  if (given.secret_follows && ours.some((kind) => kind === signature))
    return `--secret-follows is not needed with --signature ${signature}: Relata makes the secret. If the sender made one, give --secret-file.`;
  if (given.verify_token_file !== undefined && !checking.some((kind) => kind === signature))
    return `--verify-token-file can be used only with --signature ${checking.join(' or ')}.`;
  const readsSecret = given.secret_file === '-' || (given.secret_file === undefined && !given.secret_follows);
  if (readsSecret && given.verify_token_file === '-')
    return 'Standard input cannot have both the secret and the verify token. Give --secret-file FILE.';
  for (const [name, uses] of byName) {
    const kinds = uses.map(({ kind }) => kind);
    if (given[name] !== undefined && !kinds.some((kind) => kind === signature))
      return `${toFlag(name)} can be used only with --signature ${kinds.join(' or ')}.`;
  }
  return undefined;
}

/** Converts the options to the input of the operation, which validates them. */
export function readSignature(kind: SignatureKindName, given: Given): z.input<typeof SignatureSpec> {
  const options = [...byName].flatMap(([name, [use]]) =>
    given[name] === undefined ? [] : [[use!.field, given[name]]],
  );
  return { kind, ...(options.length > 0 && { options: Object.fromEntries(options) }) } as z.input<typeof SignatureSpec>;
}

/** Reads the sender's secret; returns undefined if Relata generates one. */
export async function readSenderSecret(kind: SignatureKindName, file: string | undefined) {
  if (file === undefined && describeKind(kind).secret.isOurs) return undefined;
  const secret = await readSecretValue(file);
  if (secret !== '') return secret;
  throw new CliError(
    'validation_error',
    'The secret of the sender is empty. Give it with --secret-file or on standard input.',
  );
}

/** Reads the token with which the maker checks the URL; undefined if Relata generates one, or none is needed. */
export async function readVerifyToken(file: string | undefined): Promise<string | undefined> {
  return file === undefined ? undefined : readSecretValue(file);
}
