import { join } from 'node:path';
import { type BuiltFiles, readBuiltFiles } from '@relata/http';
import type { Log } from '@relata/runtime';

/** Output of `apps/console-web/build.ts`. */
const builtDir = join(import.meta.dirname, '..', '..', '..', 'console-web', 'dist');

/** Reads the files of the pages, by their paths below `/console/`. Undefined if the pages were not built. */
export async function readBundle(log: Log, dir = builtDir): Promise<BuiltFiles | undefined> {
  const files = await readBuiltFiles(dir);
  if (files.has('index.html')) return files;
  log.warn({ dir }, 'the pages of the console were not built; they are not served');
  return undefined;
}
