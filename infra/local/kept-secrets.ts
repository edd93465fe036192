import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A random word that is kept in a file which its owner alone may read; made at the first time. */
export async function keptSecret(path: string): Promise<string> {
  const kept = (await readFile(path, 'utf8').catch(() => '')).trim();
  if (kept !== '') {
    await chmod(path, 0o600);
    return kept;
  }
  const secret = randomBytes(24).toString('base64url');
  await mkdir(dirname(path), { recursive: true });
  // Renamed when whole, so that a kill leaves no empty file.
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, `${secret}\n`, { mode: 0o600 });
  await rename(draft, path);
  return secret;
}
