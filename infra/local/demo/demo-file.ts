import { readFile, rename, writeFile } from 'node:fs/promises';
import type { StackOrganization } from '../stack/stack-file.ts';
import type { SignedSenders } from './day/day-triggers.ts';

/** An organization of the demo as stored between starts, with the id of the key that a start may have to change. */
export interface KeptOrganization extends StackOrganization {
  key_ids?: { publishable: string };
  /**
   * State of the demo's day: true if it has been posted, and its senders who sign. Undefined if the demo has no day.
   */
  day?: { isPosted: boolean; senders: SignedSenders };
}

/** Reads the organizations that an earlier start stored; returns none if the file is missing or cannot be read. */
export async function readDemoFile(file: string): Promise<KeptOrganization[]> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as KeptOrganization[];
  } catch {
    return [];
  }
}

/**
 * Writes a temporary file and renames it, so that a kill leaves the old file or the new one. Only its owner may read
 * it.
 */
export async function writeDemoFile(file: string, organizations: readonly KeptOrganization[]): Promise<void> {
  await writeFile(`${file}.tmp`, `${JSON.stringify(organizations, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.tmp`, file);
}
