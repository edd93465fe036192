import { hash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Log } from '@relata/runtime';

/** A file of the browser's part, in the encodings that there are of it. */
export interface BundleFile {
  /** Its ending, which says its type: `.js`. */
  type: string;
  tag: string;
  plain: Buffer;
  gzip: Buffer;
  /** Made by the build; undefined where it was not. */
  br: Buffer | undefined;
}

/** By their paths below `/console/`; `index.html` is the shell. */
export type Bundle = ReadonlyMap<string, BundleFile>;

/** Made by `apps/console-web/build.ts`. */
const builtDir = join(import.meta.dirname, '..', '..', '..', 'console-web', 'dist');

const pack = promisify(gzip);

/** What runs in the browser, if it was built: read once, since it does not change while we run. */
export async function readBundle(log: Log, dir = builtDir): Promise<Bundle | undefined> {
  const paths = await Array.fromAsync(glob('**/*.*', { cwd: dir }));
  const files = paths.filter((path) => !/\.(br|gz|map)$/.test(path));
  if (!files.includes('index.html')) {
    log.warn({ dir }, 'the pages of the console were not built; they are not served');
    return undefined;
  }
  return new Map(await Promise.all(files.map(async (path) => [path, await readBuilt(dir, path)] as const)));
}

async function readBuilt(dir: string, path: string): Promise<BundleFile> {
  const plain = await readFile(join(dir, path));
  const packedAs = (ending: string) => readFile(join(dir, path + ending)).catch(() => undefined);
  return {
    type: extname(path),
    tag: hash('sha256', plain, 'base64url').slice(0, 22),
    plain,
    gzip: (await packedAs('.gz')) ?? (await pack(plain)),
    br: await packedAs('.br'),
  };
}
