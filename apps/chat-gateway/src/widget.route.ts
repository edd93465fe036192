import { join } from 'node:path';
import { addPage, type BuiltFiles, readBuiltFiles, sendFile } from '@relata/http';
import type { Log } from '@relata/runtime';
import type { Express } from 'express';

/** Output of `apps/chat-widget/build.ts`. */
const builtDir = join(import.meta.dirname, '..', '..', 'chat-widget', 'dist');

const script = 'relata-chat.js';

/** Files by path: the script that pages embed, and the licences of its libraries. */
const served = { '/v1/genie/widget.js': script, '/v1/genie/LICENSES.txt': 'LICENSES.txt' };

const headers = {
  // The URL is the same in all releases, so browsers must revalidate soon.
  'Cache-Control': 'public, max-age=300, stale-while-revalidate=86400',
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Content-Type-Options': 'nosniff',
};

/** Reads the script of the chat widget; returns undefined if it was not built. */
export async function readWidget(log: Log, dir = builtDir): Promise<BuiltFiles | undefined> {
  const files = await readBuiltFiles(dir);
  if (files.has(script)) return files;
  log.warn({ dir }, 'the chat widget was not built; its script is not served');
  return undefined;
}

export function addWidget(app: Express, files: BuiltFiles): void {
  for (const [path, name] of Object.entries(served)) {
    const file = files.get(name);
    if (file) addPage(app, path, (request, response) => sendFile(request, response, file, headers));
  }
}
