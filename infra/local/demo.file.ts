import { readFile } from 'node:fs/promises';
import type { StackOrganization } from './stack-file.ts';

/** What an earlier start kept of the demo; nothing where there is no such file, or none that can be read. */
export async function readDemoFile(file: string): Promise<StackOrganization[]> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as StackOrganization[];
  } catch {
    return [];
  }
}
