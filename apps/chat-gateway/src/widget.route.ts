import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { addPage } from '@relata/http';
import type { Log } from '@relata/runtime';
import type { Express } from 'express';

/** Made by `apps/chat-widget/build.ts`. */
const builtFile = join(import.meta.dirname, '..', '..', 'chat-widget', 'dist', 'relata-chat.js');

/** The address stays the same from release to release, so browsers look again soon. */
const cacheControl = 'public, max-age=300, stale-while-revalidate=86400';

/** The script of the chat widget, if it was built. */
export async function readWidget(log: Log, file = builtFile): Promise<Buffer | undefined> {
  const script = await readFile(file).catch(() => undefined);
  if (!script) log.warn({ file }, 'the chat widget was not built; its script is not served');
  return script;
}

/** Serves the script at `/v1/genie/widget.js`, for any page that embeds it. */
export function addWidget(app: Express, script: Buffer): void {
  const packed = gzipSync(script, { level: 9 });
  const tag = hash('sha256', script, 'base64url').slice(0, 22);
  addPage(app, '/v1/genie/widget.js', (request, response) => {
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
    response.type('js').send(isPacked ? packed : script);
  });
}
