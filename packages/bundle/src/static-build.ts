import { createHash, randomUUID } from 'node:crypto';
import { glob, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** File in a built folder with the hash of its sources. */
export const stampName = '.sources';
const compressedFrom = 1_000;

export interface StaticBuild {
  /** Absolute path of the folder that is built, and replaced as a whole. */
  target: string;
  /** Patterns of all files that affect the build, absolute or below `root`. Test files are ignored. */
  sources: readonly string[];
  /** Root folder. The hash of the sources contains their paths relative to it. */
  root: string;
  write: (folder: string) => Promise<void>;
}

export interface BuiltFolder {
  folder: string;
  /** False if the sources have not changed since the last build, which was kept. */
  isNew: boolean;
}

/**
 * Builds static files for browsers into a folder, each with a `.br` and a `.gz` copy. Does nothing if no source
 * changed.
 */
export async function buildStatic({ target, sources, root, write }: StaticBuild): Promise<BuiltFolder> {
  const stamp = await hashOfSources(sources, root);
  if ((await stampOf(target)) === stamp) return { folder: target, isNew: false };
  const temporary = `${target}.${randomUUID()}`;
  try {
    await write(temporary);
    await compress(temporary);
    await writeFile(join(temporary, stampName), stamp);
    return { folder: target, isNew: await putInPlace(temporary, target, stamp) };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

export const stampOf = (target: string) => readFile(join(target, stampName), 'utf8').catch(() => '');

/** Returns a hash of the files that match these patterns below a root folder, without those of tests. */
export async function hashOfSources(sources: readonly string[], root: string): Promise<string> {
  const files = await Array.fromAsync(glob([...sources], { cwd: root, withFileTypes: true }));
  const names = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
  const hash = createHash('sha256');
  for (const name of names.filter((name) => !/\.(test|harness)\.tsx?$/.test(name)).toSorted())
    hash.update(`\0${relative(root, name)}\0`).update(await readFile(name));
  return hash.digest('hex');
}

async function compress(target: string): Promise<void> {
  const files = await Array.fromAsync(glob(join(target, '**/*.{html,js,css,svg,txt,md,json}')));
  await Promise.all(files.map(compressFile));
}

async function compressFile(file: string): Promise<void> {
  const bytes = await readFile(file);
  if (bytes.length < compressedFrom) return;
  const size = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } };
  await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, size));
  await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}

/**
 * Moves a new build into place. Returns false and keeps the existing build, which may be in use, if it has the same
 * sources.
 */
export async function putInPlace(from: string, to: string, stamp: string): Promise<boolean> {
  if (await hasRenamed(from, to, ['ENOTEMPTY', 'EEXIST'])) return true;
  if ((await stampOf(to)) === stamp) return false;
  // A folder that contains files cannot be replaced by a rename, so the old one is renamed first. Another build may do
  // so at the same moment.
  const old = `${to}.${randomUUID()}`;
  await hasRenamed(to, old, ['ENOENT']);
  try {
    return await putInPlace(from, to, stamp);
  } finally {
    await rm(old, { recursive: true, force: true });
  }
}

async function hasRenamed(from: string, to: string, refusals: readonly string[]): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && refusals.includes(String(error.code))) return false;
    throw error;
  }
}
