import { join } from 'node:path';
import { addPage, findBuiltFiles, type FoundFiles, getExchange, sendFile } from '@relata/http';
import type { Log } from '@relata/runtime';
import { openApiDocument } from '@relata/schemas/openapi';
import type { Express, Response } from 'express';

/** Output of `apps/docs-web/build.ts`. */
const builtDir = join(import.meta.dirname, '..', '..', '..', 'docs-web', 'dist');

/** Policy that allows only files of this host, so that the pages work offline, and no inline scripts or styles. */
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
  // A new release has files with the same names.
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
<p>Stop the service, and start it with <code>npm start</code>, which builds it. Other ways to start need
<code>npx node apps/docs-web/build.ts</code> first.</p>
</body>
</html>
`;

/** The description of the API, built once per process: it takes about 100 ms. */
const document = Buffer.from(JSON.stringify(openApiDocument()));

/** Finds the pages of the documentation by their paths; returns none if they were not built. */
export async function findDocs(log: Log, dir = builtDir): Promise<FoundFiles> {
  const files = await findBuiltFiles(dir);
  if (files.size === 0) log.warn({ dir }, 'the documentation was not built; it is not served');
  return files;
}

/**
 * Adds `/openapi.json` and the documentation: `/docs`, all pages and files below it, and `/llms.txt`. All of them are
 * public, since they contain no data of organizations.
 */
export function addDocs(app: Express, files: FoundFiles): void {
  addPage(app, '/openapi.json', (_request, response) => {
    response.set('Access-Control-Allow-Origin', '*').type('application/json').send(document);
  });
  if (files.size === 0) return addPage(app, below, (_request, response) => sendUnbuilt(response));
  const pages = [...files].filter(([file]) => file !== unknownPage);
  const paths = new Map(pages.map(([file, read]) => [`/${file.replace(/\.html$/, '')}` as string, read] as const));
  addPage(app, exactly([...paths.keys()]), async (request, response, next) => {
    const file = await paths.get(request.path)!().catch(undefinedIfGone);
    if (file) sendFile(request, response, file, headers);
    else next('route');
  });
  // At an unknown address, a browser gets a page with the search. Other clients get the usual error for an unknown
  // route.
  app.get(below, async (request, response, next) => {
    const page =
      request.accepts(['json', 'html']) === 'html' && (await files.get(unknownPage)?.().catch(undefinedIfGone));
    if (!page) return next();
    response.status(404).vary('Accept').setHeader('X-Request-Id', getExchange(response).requestId);
    sendFile(request, response, page, headers);
  });
}

/** Paths of the documentation: `/docs`, everything below it, and `/llms.txt`. */
const below = /^\/docs(?:\.md|\/.*)?$|^\/llms\.txt$/;

/** File of the page for unknown addresses. */
const unknownPage = '404.html';

const exactly = (paths: readonly string[]) => new RegExp(`^(?:${paths.map(RegExp.escape).join('|')})$`);

/** Returns undefined if the file no longer exists, because the documentation was rebuilt; rethrows any other error. */
function undefinedIfGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

const sendUnbuilt = (response: Response) => void response.status(503).set(headers).type('html').send(unbuilt);
