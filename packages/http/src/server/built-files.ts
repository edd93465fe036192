import { hash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** A built file for browsers, in each encoding that exists. */
interface BuiltFile {
  /** Extension of its name, which determines its type: `.js`. */
  type: string;
  tag: string;
  plain: Buffer;
  gzip: Buffer;
  /** Undefined if the build created none. */
  br: Buffer | undefined;
}

/** Files by their path within the build's folder. */
export type BuiltFiles = ReadonlyMap<string, BuiltFile>;

const pack = promisify(gzip);

/** Reads all files of a build, which do not change while the process runs; returns none if nothing was built. */
export async function readBuiltFiles(dir: string): Promise<BuiltFiles> {
  const paths = (await Array.fromAsync(glob('**/*.*', { cwd: dir }))).filter((path) => !/\.(br|gz|map)$/.test(path));
  return new Map(await Promise.all(paths.map(async (path) => [path, await readBuilt(dir, path)] as const)));
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
  response.set({
    ...headers,
    Vary: 'Accept-Encoding',
    ETag: `"${file.tag}${encoding ? `-${encoding}` : ''}"`,
  });
  if (encoding) response.set('Content-Encoding', encoding);
  response.type(file.type).send(encoding ? file[encoding] : file.plain);
}

/**
 * Returns the encoding to use. Brotli is preferred wherever it is accepted: otherwise the client's first of equal
 * choices would win, and browsers name gzip first.
 */
function encodingFor(request: Request, { br }: BuiltFile): 'br' | 'gzip' | undefined {
  if (br && request.acceptsEncodings('br') === 'br') return 'br';
  return request.acceptsEncodings('gzip', 'identity') === 'gzip' ? 'gzip' : undefined;
}
