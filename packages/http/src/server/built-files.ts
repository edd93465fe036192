import { hash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** A built file for browsers, in each available encoding. */
interface BuiltFile {
  /** Extension of the file name, such as `.js`. It determines the Content-Type. */
  type: string;
  tag: string;
  plain: Buffer;
  gzip: Buffer;
  /** Undefined if the build created no Brotli file. */
  br: Buffer | undefined;
}

/** Files by their path within the build's folder. */
export type BuiltFiles = ReadonlyMap<string, BuiltFile>;

const pack = promisify(gzip);

/** Reads all files of a build, which do not change while the process runs; returns none if nothing was built. */
export async function readBuiltFiles(dir: string): Promise<BuiltFiles> {
  const readers = await findBuiltFiles(dir);
  return new Map(await Promise.all([...readers].map(async ([path, read]) => [path, await read()] as const)));
}

/** Files that are read on their first use. */
export type FoundFiles = ReadonlyMap<string, () => Promise<BuiltFile>>;

/**
 * Finds all files of a build. Each file is read on its first use and then kept outside of the heap, so that all readers
 * share the bytes. If reading fails, the next use tries again.
 */
export async function findBuiltFiles(dir: string): Promise<FoundFiles> {
  const paths = (await Array.fromAsync(glob('**/*.*', { cwd: dir }))).filter((path) => !/\.(br|gz|map)$/.test(path));
  return new Map(paths.map((path) => [path, onFirstUse(() => readBuilt(dir, path))] as const));
}

function onFirstUse<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let reading: Promise<Result> | undefined;
  return () => {
    if (reading === undefined) {
      reading = read();
      reading.catch(() => (reading = undefined));
    }
    return reading;
  };
}

async function readBuilt(dir: string, path: string): Promise<BuiltFile> {
  const plain = await readFile(join(dir, path));
  const packedAs = (ending: string) => readFile(join(dir, path + ending)).catch(() => undefined);
  return {
    type: extname(path),
    tag: hash('sha256', plain, 'base64url').slice(0, 22),
    plain,
    gzip: (await packedAs('.gz')) ?? (await pack(plain, { level: 9 })),
    br: await packedAs('.br'),
  };
}

/** Sends a file in the smallest encoding that the client accepts. */
export function sendFile(request: Request, response: Response, file: BuiltFile, headers: Record<string, string>): void {
  const encoding = encodingFor(request, file);
  response.vary('Accept-Encoding').set({
    ...headers,
    ETag: `"${file.tag}${encoding ? `-${encoding}` : ''}"`,
  });
  if (encoding) response.set('Content-Encoding', encoding);
  response.type(file.type).send(encoding ? file[encoding] : file.plain);
}

/**
 * Returns the encoding to use. Brotli is preferred if it is accepted. Without this rule, the first of several equal
 * choices would win, and browsers name gzip first.
 */
function encodingFor(request: Request, { br }: BuiltFile): 'br' | 'gzip' | undefined {
  if (br && request.acceptsEncodings('br') === 'br') return 'br';
  return request.acceptsEncodings('gzip', 'identity') === 'gzip' ? 'gzip' : undefined;
}
