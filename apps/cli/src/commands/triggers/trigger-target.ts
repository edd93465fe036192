import { z } from 'zod';
import { CliError } from '../../output/cli.error.ts';
import { findStackOn } from '../../command/stack-file.ts';
import { triggerPath } from './trigger-reference.ts';

/** Where a service is, as it is typed. */
export const baseUrl = z
  .string()
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'Must be an http(s) URL.')
  .transform((text) => text.replace(/\/+$/, ''));

/** What a header can carry. */
export const secretText = z.string().regex(/^[\x21-\x7e]{1,1000}$/, 'Must be a trigger secret.');

export interface GivenTarget {
  secret: string | undefined;
  url: string | undefined;
}

/** Where a trigger takes deliveries and what opens it: as given, else what the local stack on this database knows. */
export function targetOf(databaseUrl: string, triggerId: string, given: GivenTarget): { url: string; secret: string } {
  const stack = findStackOn(databaseUrl);
  const known = stack?.organizations.flatMap(({ triggers }) => triggers).find(({ id }) => id === triggerId);
  const base = given.url ?? stack?.base_url;
  const secret = given.secret ?? (process.env['RELATA_TRIGGER_SECRET'] || known?.secret);
  if (base === undefined)
    throw unknown('No local stack runs on this database: give --url, the address of the service.');
  if (secret === undefined)
    throw unknown(
      'Only a hash of the secret is stored: give --secret or set RELATA_TRIGGER_SECRET. To create a new secret: relata triggers rotate',
    );
  if (!secretText.safeParse(secret).success) throw unknown('RELATA_TRIGGER_SECRET is not a trigger secret.');
  return { url: `${base}${triggerPath(triggerId)}`, secret };
}

function unknown(message: string): CliError {
  return new CliError('configuration_error', message);
}
