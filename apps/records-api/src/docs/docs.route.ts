import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { addPage } from '@relata/http';
import { errorsPath } from '@relata/schemas/errors';
import { errorsPage } from '@relata/schemas/errors-page';
import { openApiDocument } from '@relata/schemas/openapi';
import type { Express } from 'express';

/** Files that the page loads, by name. Each is resolved from a literal, so that a bundle finds its files. */
const files = {
  'start.js': import.meta.resolve('./start.js'),
  'swagger-ui.css': import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
  'swagger-ui-bundle.js': import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  // The script refers to it, for the libraries that it contains.
  'swagger-ui-bundle.js.LICENSE.txt': import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt'),
};

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Relata API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
</head>
<body>
<div id="docs"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** Allows only files of this host, so that the page works without the internet. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'";

const assets = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt'] as const;

/**
 * Adds `/openapi.json`, a page to read it, and a page about the errors. All are public, since they contain nobody's
 * data.
 */
export function addDocs(app: Express): void {
  const start = readFileSync(new URL(files['start.js']));
  const document = Buffer.from(JSON.stringify(openApiDocument()));
  addPage(app, '/openapi.json', (_request, response) => {
    response.set('Access-Control-Allow-Origin', '*').type('application/json').send(document);
  });
  addHtml(app, '/docs', page);
  addHtml(app, errorsPath, errorsPage());
  addPage(app, '/docs/start.js', (_request, response) => void response.type('js').send(start));
  for (const asset of assets) addAsset(app, asset);
}

function addHtml(app: Express, path: string, html: string): void {
  addPage(app, path, (_request, response) => {
    response.set('Content-Security-Policy', contentSecurityPolicy).type('html').send(html);
  });
}

/**
 * Adds a file, which is always sent whole and from memory, even if a part of it or a condition is requested: a file
 * opened for each download stays open when its reader leaves.
 */
function addAsset(app: Express, asset: (typeof assets)[number]): void {
  addPage(app, `/docs/assets/${asset}`, async (request, response) => {
    const { plain, packed } = await readAsset(asset);
    const isPacked = request.acceptsEncodings('gzip', 'identity') === 'gzip';
    const bytes = isPacked ? packed : plain;
    response.set({ 'Cache-Control': 'public, max-age=3600', Vary: 'Accept-Encoding' }).type(extname(asset));
    if (isPacked) response.set('Content-Encoding', 'gzip');
    response.set('Content-Length', String(bytes.length)).end(bytes);
  });
}

const pack = promisify(gzip);
const read = new Map<string, ReturnType<typeof loadAsset>>();

/** Reads and compresses a file on its first use. If that failed, the next request tries again. */
function readAsset(asset: (typeof assets)[number]) {
  const reading = read.getOrInsertComputed(asset, () => loadAsset(new URL(files[asset])));
  reading.catch(() => read.delete(asset));
  return reading;
}

async function loadAsset(file: URL) {
  const plain = await readFile(file);
  return { plain, packed: await pack(plain) };
}
