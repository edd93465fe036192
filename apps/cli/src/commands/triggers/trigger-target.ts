import { randomUUID } from 'node:crypto';
import { findSignatureKind, signPost } from '@relata/signatures';
import { readSigningSecret, type Trigger } from '@relata/workflows';
import { z } from 'zod';
import type { CommandContext } from '../../command/command.ts';
import { CliError } from '../../output/cli.error.ts';
import { findStackOn } from '../../command/stack-file.ts';
import { requireKeys } from '../secrets/secret-keys.ts';
import { findBaseUrl, triggerPath } from './trigger-reference.ts';

export const baseUrl = z
  .string()
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'Must be an http(s) URL.')
  .transform((text) => text.replace(/\/+$/, ''));

/** A trigger secret: printable ASCII, which a header can carry. */
export const secretText = z.string().regex(/^[\x21-\x7e]{1,1000}$/, 'Must be a trigger secret.');

export interface GivenTarget {
  secret: string | undefined;
  url: string | undefined;
}

/**
 * Returns the URL of a trigger, and a function that authenticates a body as its sender does. The secret is the given
 * one, else RELATA_TRIGGER_SECRET, else that of the local stack; for a signing sender it comes from the database.
 */
export async function findTarget(context: CommandContext, trigger: Trigger, given: GivenTarget) {
  const base = given.url ?? findBaseUrl(context.databaseUrl);
  if (base === undefined)
    throw unknown('No local stack runs on this database: give --url, the address of the service, or set PUBLIC_URL.');
  const url = `${base}${triggerPath(trigger.id)}`;
  const kind = trigger.signature && findSignatureKind(trigger.signature);
  const isStored = kind?.proof === 'signature';
  if (isStored && given.secret !== undefined)
    throw new CliError(
      'validation_error',
      '--secret cannot be used if the sender signs, because its secret is in the database.',
    );
  const secret = isStored
    ? await readSigningSecret(context.database, trigger, requireKeys('SIGNING_KEYS', context.databaseUrl))
    : secretOf(context.databaseUrl, trigger.id, given);
  const proofOf = (body: string) =>
    kind
      ? signPost(kind, { secret, url, body: Buffer.from(body), id: randomUUID(), nowMs: Date.now() })
      : { url, headers: { 'x-webhook-secret': secret } };
  return { url, proofOf };
}

function secretOf(databaseUrl: string, triggerId: string, given: GivenTarget): string {
  const known = findStackOn(databaseUrl)
    ?.organizations.flatMap(({ triggers }) => triggers)
    .find(({ id }) => id === triggerId);
  const secret = given.secret ?? (process.env['RELATA_TRIGGER_SECRET'] || known?.secret);
  if (secret === undefined)
    throw unknown(
      'Only a hash of the secret is stored: give --secret or set RELATA_TRIGGER_SECRET. To create a new secret: relata triggers rotate',
    );
  if (!secretText.safeParse(secret).success) throw unknown('RELATA_TRIGGER_SECRET is not a trigger secret.');
  return secret;
}

function unknown(message: string): CliError {
  return new CliError('configuration_error', message);
}
