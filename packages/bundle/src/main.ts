import { createHash, randomUUID } from 'node:crypto';
import { glob, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { bundle } from './bundle.ts';
import { findPrograms } from './programs.ts';

const root = resolve(import.meta.dirname, '../../..');
const stampName = '.sources';

export interface BuiltBundles {
  /** Absolute path; in it is `<app>.mjs` of each program. */
  folder: string;
  /** False where the sources are those of the last build, which was left as it is. */
  isNew: boolean;
}

/** Bundles all programs into a folder, `dist` by default, which is replaced as a whole. */
export async function bundlePrograms({ folder = join(root, 'dist') } = {}): Promise<BuiltBundles> {
  const programs = await findPrograms(root);
  const stamp = await hashOfSources(Object.keys(programs));
  if ((await readFile(join(folder, stampName), 'utf8').catch(() => '')) === stamp) return { folder, isNew: false };
  const writtenTo = `${folder}.${randomUUID()}`;
  try {
    await bundle({ root, programs, writtenTo, folder });
    await writeFile(join(writtenTo, stampName), stamp);
    await rm(folder, { recursive: true, force: true });
    await rename(writtenTo, folder);
  } finally {
    await rm(writtenTo, { recursive: true, force: true });
  }
  return { folder, isNew: true };
}

/** Of everything that decides what is built. */
async function hashOfSources(apps: readonly string[]): Promise<string> {
  const folders = [`apps/{${apps.join()}}`, 'packages/*'];
  const patterns = [...folders.flatMap((of) => [`${of}/src/**/*`, `${of}/package.json`]), 'pnpm-lock.yaml'];
  const found = await Array.fromAsync(glob(patterns, { cwd: root, withFileTypes: true }));
  const files = found.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
  const hash = createHash('sha256');
  for (const file of files.filter((name) => !/\.(test|harness)\.ts$/.test(name)).toSorted())
    hash.update(`\0${relative(root, file)}\0`).update(await readFile(file));
  return hash.digest('hex');
}

if (import.meta.main) {
  const { folder, isNew } = await bundlePrograms();
  console.log(isNew ? folder : `${folder}: unchanged`);
}
