import { readFile, rename, writeFile } from 'node:fs/promises';
import type { StackOrganization } from '../stack/stack-file.ts';

/** An organization of the demo as it is kept between starts: with the id of the key that a start may have to change. */
export interface KeptOrganization extends StackOrganization {
  key_ids?: { publishable: string };
}

/** What an earlier start kept of the demo; nothing where there is no such file, or none that can be read. */
export async function readDemoFile(file: string): Promise<KeptOrganization[]> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as KeptOrganization[];
  } catch {
    return [];
  }
}

/** Written beside its place and renamed, so that a kill leaves the old file or the new one. Its owner alone may read. */
export async function writeDemoFile(file: string, organizations: readonly KeptOrganization[]): Promise<void> {
  await writeFile(`${file}.tmp`, `${JSON.stringify(organizations, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.tmp`, file);
}
