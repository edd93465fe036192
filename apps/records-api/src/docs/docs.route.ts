import { join } from 'node:path';
import { addPage, findBuiltFiles, type FoundFiles, sendFile } from '@relata/http';
import type { Log } from '@relata/runtime';
import { openApiDocument } from '@relata/schemas/openapi';
import type { Express } from 'express';

/** Output of `apps/docs-web/build.ts`. */
const builtDir = join(import.meta.dirname, '..', '..', '..', 'docs-web', 'dist');

/** Allows only files of this host and no inline code, so that the pages work without the internet. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const headers = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  // A release replaces the files under the same names.
  'Cache-Control': 'no-cache',
};

const unbuilt = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Relata docs</title>
<link rel="icon" href="data:,">
</head>
<body>
<h1>The documentation was not built</h1>
<p>Build it, and start the service again: <code>node apps/docs-web/build.ts</code></p>
</body>
</html>
`;

/** Finds the pages of the documentation by their paths; returns none if they were not built. */
export async function findDocs(log: Log, dir = builtDir): Promise<FoundFiles> {
  const files = await findBuiltFiles(dir);
  if (files.size === 0) log.warn({ dir }, 'the documentation was not built; it is not served');
  return files;
}

/**
 * Adds `/openapi.json` and the documentation: `/docs`, all pages and files below it, and `/llms.txt`. All are public,
 * since they contain nobody's data.
 */
export function addDocs(app: Express, files: FoundFiles): void {
  const document = Buffer.from(JSON.stringify(openApiDocument()));
  addPage(app, '/openapi.json', (_request, response) => {
    response.set('Access-Control-Allow-Origin', '*').type('application/json').send(document);
  });
  addPage(app, /^\/docs(?:\.md|\/.*)?$|^\/llms\.txt$/, async (request, response, next) => {
    if (files.size === 0) return void response.status(503).set(headers).type('html').send(unbuilt);
    const path = request.path.slice(1).replace(/\/$/, '');
    const read = files.get(path) ?? files.get(`${path}.html`);
    if (!read) return next('route');
    sendFile(request, response, await read(), headers);
  });
}
