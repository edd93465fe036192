import type { Dirent } from 'node:fs';
import { opendir, readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { KnowledgeError } from '../knowledge.error.ts';

export interface PageFile {
  /** Path within the folder, with `/` as separator, such as `guides/start.md`. */
  path: string;
  text: string;
}

/** Limits of a knowledge base. Sizes are in bytes. */
const bounds = { pages: 5_000, pageBytes: 1_048_576, totalBytes: 67_108_864, depth: 16, entries: 100_000 };

/**
 * Reads all Markdown files below a folder, in the order of their paths. It skips README files, `node_modules`, names
 * that begin with a dot, folders nested deeper than 16 levels, and symbolic links that do not lead to a file in the
 * folder. Throws if a file cannot be read or is not UTF-8, or if another limit is exceeded.
 */
export async function readPageFiles(dir: string): Promise<PageFile[]> {
  const paths = (await listPages(dir)).toSorted();
  if (paths.length > bounds.pages) throw new KnowledgeError(dir, `contains more than ${bounds.pages} pages.`);
  const files: PageFile[] = [];
  let bytes = 0;
  for (const path of paths) {
    const content = await readPage(join(dir, path));
    bytes += content.length;
    if (bytes > bounds.totalBytes) throw new KnowledgeError(dir, `contains more than ${bounds.totalBytes} bytes.`);
    files.push({ path, text: decode(content, join(dir, path)) });
  }
  return files;
}

async function listPages(root: string): Promise<string[]> {
  const pages: string[] = [];
  const folders = [''];
  const realRoot = await reading(root, realpath(root));
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const within = join(root, folder);
    for await (const entry of await reading(within, opendir(within))) {
      if (++entries > bounds.entries)
        throw new KnowledgeError(root, `contains more than ${bounds.entries} files and folders.`);
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (isLeftOut(entry.name)) continue;
      if (/\.md$/i.test(entry.name) && (await isFileWithin(realRoot, entry))) pages.push(path);
      if (entry.isDirectory() && path.split('/').length <= bounds.depth) folders.push(path);
    }
  }
  return pages;
}

/**
 * Returns true for a file, or for a link to a file in the folder. Kubernetes mounts each file of a ConfigMap as a link
 * to a file in a hidden folder next to it.
 */
async function isFileWithin(realRoot: string, entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isFile();
  // A broken link is not a page.
  const file = await realpath(join(entry.parentPath, entry.name)).catch(() => undefined);
  return file !== undefined && file.startsWith(realRoot + sep) && (await reading(file, stat(file))).isFile();
}

function isLeftOut(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules' || /^readme\.md$/i.test(name);
}

async function readPage(file: string): Promise<Buffer> {
  const { size } = await reading(file, stat(file));
  const content = size > bounds.pageBytes ? undefined : await reading(file, readFile(file));
  if (content && content.length <= bounds.pageBytes) return content;
  throw new KnowledgeError(file, `is larger than ${bounds.pageBytes} bytes.`);
}

function decode(content: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    throw new KnowledgeError(file, 'is not UTF-8.');
  }
}

async function reading<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new KnowledgeError(path, `cannot be read (${code}).`, { cause: error });
  }
}
