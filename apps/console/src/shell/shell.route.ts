import { addPage, type BuiltFiles, getExchange, refuseMethod, sendFile } from '@relata/http';
import { documentUrl } from '@relata/schemas/document-url';
import type { Express, RequestHandler } from 'express';
import { type OwnOrigin, requestOrigin } from '../session/own-origin.ts';

/** Folder of the files whose names contain a hash of their content. */
const hashedDir = 'assets/';

const unbuilt = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Relata console</title>
<link rel="icon" href="data:,">
</head>
<body>
<h1>The pages of the console were not built</h1>
<p>Stop the service, and start it with <code>npm start</code>, which builds them. Before any other
command that starts it, run <code>npx node apps/console-web/build.ts</code>.</p>
</body>
</html>
`;

/**
 * Serves the pages at `/console`: their files, and for every other path the shell (`index.html`), whose script chooses
 * the page by the address. Does not serve paths below `/console/api`.
 */
export function addShell(app: Express, bundle: BuiltFiles | undefined): void {
  const serve: RequestHandler = (request, response, next) => {
    const path = request.path.slice('/console/'.length);
    response.setHeader('X-Request-Id', getExchange(response).requestId);
    if (!bundle) return void response.status(503).set('Cache-Control', 'no-store').type('html').send(unbuilt);
    const file = bundle.get(path);
    if (!file && path.startsWith(hashedDir)) return next('route');
    const isHashed = file !== undefined && path.startsWith(hashedDir);
    const cacheControl = isHashed ? 'public, max-age=31536000, immutable' : 'no-cache';
    sendFile(request, response, file ?? bundle.get('index.html')!, { 'Cache-Control': cacheControl });
  };
  const isOurs = /^\/console(?:\/(?!api\/).*)?$/;
  app
    .route(isOurs)
    .get(serve)
    .all(refuseMethod(['get']));
}

/** Redirects the former addresses of documentation pages, below the console, to the pages that the API serves. */
export function addMovedDocs(app: Express, own: OwnOrigin & { publicUrl: string | undefined }): void {
  addPage(app, /^\/console\/docs\/((?:senders\/)?[a-z-]+)\.html$/, (request, response) => {
    const [page] = Object.values(request.params);
    // Not a 308, which browsers would cache even after the public address has changed.
    response.redirect(307, documentUrl(String(page), own.publicUrl ?? requestOrigin(request, own)));
  });
}
