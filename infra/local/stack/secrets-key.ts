import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';

/**
 * What the secrets of the local stack are encrypted with: made once, and kept apart from the database. Written beside its
 * place and renamed, so that a kill leaves no half of it; its owner alone may read.
 */
export async function keptSecretsKey(file: string): Promise<string> {
  const kept = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    // One that is there but cannot be read must not be replaced: nothing could be decrypted any more.
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (kept !== undefined) return kept.trim();
  const key = randomBytes(32).toString('base64');
  await writeFile(`${file}.tmp`, `${key}\n`, { mode: 0o600 });
  await rename(`${file}.tmp`, file);
  return key;
}
