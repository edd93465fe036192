import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readSettings } from '@relata/runtime';
import { type EncryptionKeys, signingSettings } from '@relata/secrets';

/** Returns a random secret from a file that only its owner can read. Creates the file on the first call. */
export async function keptSecret(path: string): Promise<string> {
  const kept = (await readFile(path, 'utf8').catch(() => '')).trim();
  if (kept !== '') {
    await chmod(path, 0o600);
    return kept;
  }
  const secret = randomBytes(24).toString('base64url');
  await mkdir(dirname(path), { recursive: true });
  // The file is renamed when it is complete, so that a kill leaves no empty file.
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, `${secret}\n`, { mode: 0o600 });
  await rename(draft, path);
  return secret;
}

/**
 * Returns the key that encrypts secrets of the local stack. Creates it on the first call, in a file that is not part of
 * the database and that only its owner can read. A temporary file is written and renamed, so that a kill leaves no
 * incomplete file.
 */
export async function keptSecretsKey(file: string): Promise<string> {
  const kept = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    // A key that exists but cannot be read must not be replaced, because its secrets could no longer be decrypted.
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (kept !== undefined) return kept.trim();
  const key = randomBytes(32).toString('base64');
  await writeFile(`${file}.tmp`, `${key}\n`, { mode: 0o600 });
  await rename(`${file}.tmp`, file);
  return key;
}

/** Returns the keys that encrypt secrets of senders, from the environment or else the stored ones. */
export function readSigningKeys(environment: NodeJS.ProcessEnv, kept: string | undefined): EncryptionKeys | undefined {
  return readSettings(signingSettings, { SIGNING_KEYS: environment['SIGNING_KEYS'] || kept }).SIGNING_KEYS;
}
