import { readFileSync } from 'node:fs';
import { readSettings } from '@relata/runtime';
import { notifySettings, type EncryptionKeys, secretsSettings, signingSettings } from '@relata/secrets';
import { CliError } from '../../output/cli.error.ts';
import { findStackOn } from '../../command/stack-file.ts';

const settings = { ...secretsSettings, ...signingSettings, ...notifySettings };

/** For each setting: the apps that need the same keys, and the section of the stack file that names the key file. */
const uses = {
  SECRETS_KEY: { others: 'the workers need', inStack: 'secrets' },
  SIGNING_KEYS: { others: 'the receivers and the console need', inStack: 'signing' },
  NOTIFY_KEYS: { others: 'the workers and the console need', inStack: 'notify' },
} as const;

/** Returns the keys of a setting: from the environment, otherwise from the running local stack. */
export function requireKeys(name: keyof typeof uses, databaseUrl: string): EncryptionKeys {
  const keys = findKeys(name, databaseUrl);
  if (keys) return keys;
  const message = `${name} is not set; ${uses[name].others} the same value. Generate a key: openssl rand -base64 32`;
  throw new CliError('configuration_error', message);
}

/** Returns the keys of a setting; undefined if it is not set. */
export function findKeys(name: keyof typeof uses, databaseUrl: string): EncryptionKeys | undefined {
  const { [name]: setting } = settings;
  const keysOf = (text: string | undefined) => readSettings({ [name]: setting }, { [name]: text })[name];
  const file = findStackOn(databaseUrl)?.[uses[name].inStack]?.key_file;
  return keysOf(process.env[name]) ?? (file === undefined ? undefined : keysOf(readFileSync(file, 'utf8').trim()));
}
