import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Knowledge, openKnowledge } from './knowledge.ts';

export const baseUrl = 'https://acme.example/docs';

/** Creates a folder with these files for the duration of a test. */
export async function pageFolder(files: Record<string, string | Uint8Array>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'knowledge-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), content);
  }
  return dir;
}

export async function loadFiles(files: Record<string, string | Uint8Array>): Promise<Knowledge> {
  return openKnowledge({ dir: await pageFolder(files), baseUrl });
}
