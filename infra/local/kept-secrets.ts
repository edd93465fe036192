import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readSettings } from '@relata/runtime';
import { type EncryptionKeys, signingSettings } from '@relata/secrets';
import { paths } from './paths.ts';
import { writePrivateFile } from './private-file.ts';

const newToken = () => randomBytes(24).toString('base64url');
const newKey = () => randomBytes(32).toString('base64');

/**
 * Returns a random secret from a file that only its owner can read. Creates the file on the first call, and replaces an
 * empty one. A file that cannot be read is not replaced, because other secrets could no longer be decrypted.
 */
export async function keptSecret(path: string, make = newToken): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  if (text.trim() !== '') {
    await chmod(path, 0o600);
    return text.trim();
  }
  const secret = make();
  await mkdir(dirname(path), { recursive: true });
  await writePrivateFile(path, `${secret}\n`);
  return secret;
}

/** Returns a key that encrypts secrets, from its file; see `keptSecret`. */
export const keptSecretsKey = (file: string) => keptSecret(file, newKey);

/** Files with the keys of the local stack, by the setting for each. They are not part of the database. */
const keyFiles = { SECRETS_KEY: paths.secretsKey, SIGNING_KEYS: paths.signingKeys, NOTIFY_KEYS: paths.notifyKeys };

export type KeptKeys = Partial<Record<keyof typeof keyFiles, string>>;

/** Returns the keys that the environment does not set. Creates each on the first call. */
export async function keptKeys(environment: NodeJS.ProcessEnv): Promise<KeptKeys> {
  const missing = Object.entries(keyFiles).filter(([setting]) => !environment[setting]);
  const kept = missing.map(async ([setting, file]) => [setting, await keptSecretsKey(file)] as const);
  return Object.fromEntries(await Promise.all(kept));
}

/** Returns the keys that encrypt secrets of senders, from the environment or else the stored ones. */
export function readSigningKeys(environment: NodeJS.ProcessEnv, kept: KeptKeys): EncryptionKeys | undefined {
  return readSettings(signingSettings, { SIGNING_KEYS: environment['SIGNING_KEYS'] || kept.SIGNING_KEYS }).SIGNING_KEYS;
}
