import { readFileSync } from 'node:fs';
import { readSettings } from '@relata/runtime';
import { type SecretKeys, secretsSettings } from '@relata/secrets';
import { CliError } from '../../output/cli.error.ts';
import { findStackOn } from '../../command/stack-file.ts';

/** What secrets are encrypted with: what the environment says, else the key of the running local stack. */
export function requireSecretKeys(databaseUrl: string, environment: NodeJS.ProcessEnv = process.env): SecretKeys {
  const keys = readSettings(secretsSettings, environment).SECRETS_KEY ?? keysOfStack(databaseUrl);
  if (keys) return keys;
  throw new CliError(
    'configuration_error',
    'SECRETS_KEY is not set; the workers need the same one. Generate one: openssl rand -base64 32',
  );
}

function keysOfStack(databaseUrl: string): SecretKeys | undefined {
  const file = findStackOn(databaseUrl)?.secrets?.key_file;
  if (file === undefined) return undefined;
  return readSettings(secretsSettings, { SECRETS_KEY: readFileSync(file, 'utf8').trim() }).SECRETS_KEY;
}
