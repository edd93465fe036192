import { rename, writeFile } from 'node:fs/promises';

/**
 * Writes a file that only its owner can read. Writes a temporary file and renames it, so that a kill leaves either the
 * old or the new file, and no reader gets half of it.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
}
