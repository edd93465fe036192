import { readFile } from 'node:fs/promises';
import { writePrivateFile } from '../private-file.ts';
import type { StackOrganization } from '../stack/stack-file.ts';
import type { SignedSenders } from './day/day-triggers.ts';

/** An organization of the demo as stored between starts, with the id of the key that a start may have to change. */
export interface KeptOrganization extends StackOrganization {
  key_ids?: { publishable: string };
  /** State of the demo's day: `isPosted` is true once it has been posted. Undefined if the demo has no day. */
  day?: { isPosted: boolean; senders: SignedSenders };
}

/** Reads the organizations that an earlier start stored. Returns none if the file is missing or cannot be read. */
export async function readDemoFile(file: string): Promise<KeptOrganization[]> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as KeptOrganization[];
  } catch {
    return [];
  }
}

export async function writeDemoFile(file: string, organizations: readonly KeptOrganization[]): Promise<void> {
  await writePrivateFile(file, `${JSON.stringify(organizations, null, 2)}\n`);
}
