import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { addPage } from '@relata/http';
import type { Log } from '@relata/runtime';
import type { Express } from 'express';

export interface Widget {
  script: Buffer;
  /** Of the libraries in it, which it refers to. */
  licences: Buffer;
}

/** Made by `apps/chat-widget/build.ts`. */
const builtDir = join(import.meta.dirname, '..', '..', 'chat-widget', 'dist');

/** The address stays the same from release to release, so browsers look again soon. */
const cacheControl = 'public, max-age=300, stale-while-revalidate=86400';

/** The script of the chat widget, if it was built. */
export async function readWidget(log: Log, dir = builtDir): Promise<Widget | undefined> {
  try {
    const read = (name: string) => readFile(join(dir, name));
    const [script, licences] = await Promise.all([read('relata-chat.js'), read('LICENSES.txt')]);
    return { script, licences };
  } catch {
    log.warn({ dir }, 'the chat widget was not built; its script is not served');
    return undefined;
  }
}

/** Serves the script at `/v1/genie/widget.js`, for any page that embeds it, and the licences beside it. */
export function addWidget(app: Express, { script, licences }: Widget): void {
  addFile(app, '/v1/genie/widget.js', script);
  addFile(app, '/v1/genie/LICENSES.txt', licences);
}

function addFile(app: Express, path: string, plain: Buffer): void {
  const packed = gzipSync(plain, { level: 9 });
  const tag = hash('sha256', plain, 'base64url').slice(0, 22);
  addPage(app, path, (request, response) => {
    const isPacked = request.acceptsEncodings('gzip', 'identity') === 'gzip';
    response.set({
      'Cache-Control': cacheControl,
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Accept-Encoding',
      ETag: `"${tag}${isPacked ? '-gzip' : ''}"`,
    });
    if (isPacked) response.set('Content-Encoding', 'gzip');
    response.type(extname(path)).send(isPacked ? packed : plain);
  });
}
