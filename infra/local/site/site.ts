import { readFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { sendUnavailable } from '../gateway/refusal.ts';
import { endResponse } from '../gateway/response.ts';
import { docsPath, sitePath } from '../gateway/routes.ts';
import type { StackOrganization } from '../stack/stack-file.ts';
import { docPage, docsIndex } from './docs.page.ts';
import { homePage } from './home.page.ts';
import type { Html } from './html.ts';
import { inlinePage } from './inline.page.ts';
import { readKnowledgePages } from './knowledge-pages.ts';
import { messagePage } from './message.page.ts';

export interface SiteOptions {
  /** Folder of the Markdown pages that are shown below `/demo/docs`. */
  knowledgeDir: string;
  /**
   * Returns the organizations of the demo, or undefined until the demo exists. The site's chat belongs to the first
   * organization with a publishable key.
   */
  organizations: () => StackOrganization[] | undefined;
  /** Called with the error if a page could not be rendered. */
  onError: (error: unknown) => void;
}

interface SiteResponse {
  status: number;
  type: string;
  body: string;
  allow?: string;
  location?: string;
}

// Allows only what the site itself serves, including the script and the answers of the chat. The chat's styles are
// constructed style sheets, which need no permission.
const contentPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const publicFiles = join(import.meta.dirname, 'public');
const assets = new Set(['base.css', 'frame.css', 'home.css', 'docs.css', 'site.js']);

/**
 * Creates the site of a company that uses the chat. It answers requests for which `isForSite` or `isVisit` is true.
 * Until the demo exists, the answer is 503.
 */
export function createSite(options: SiteOptions): RequestListener {
  return (request, response) => {
    const organizations = options.organizations();
    if (!organizations) {
      sendUnavailable(request, response);
      return endResponse(request, response);
    }
    const chatKey = organizations.find(({ keys }) => keys.publishable)?.keys.publishable;
    responseFor(request, { knowledgeDir: options.knowledgeDir, chatKey })
      .catch((error: unknown) => {
        options.onError(error);
        return page(500, messagePage('This page could not be made', 'The output of npm start says why.'));
      })
      .then((answer) => send(request, response, answer))
      .catch(() => response.destroy());
  };
}

interface Sources {
  knowledgeDir: string;
  chatKey: string | undefined;
}

async function responseFor({ method, url = '' }: IncomingMessage, sources: Sources): Promise<SiteResponse> {
  if (method !== 'GET' && method !== 'HEAD') {
    return { ...page(405, messagePage('Not here', 'This page can only be read.')), allow: 'GET, HEAD' };
  }
  const path = decoded(url.replace(/\?.*$/s, ''));
  if (path === '/') return toHome();
  if (path === sitePath || path === `${sitePath}/`) return page(200, homePage(sources.chatKey));
  if (path === `${sitePath}/inline`) return page(200, inlinePage(sources.chatKey));
  const file = path.slice(sitePath.length + 1);
  if (assets.has(file)) return await asset(file);
  return path === docsPath || path.startsWith(`${docsPath}/`) ? docs(path, sources) : notFound();
}

async function docs(path: string, { knowledgeDir, chatKey }: Sources): Promise<SiteResponse> {
  const pages = await readKnowledgePages(knowledgeDir);
  const found = pages.get(path.slice(docsPath.length + 1));
  if (found) return page(200, docPage(found, [...pages.values()], chatKey));
  return path.length <= docsPath.length + 1 ? page(200, docsIndex([...pages.values()], chatKey)) : notFound();
}

/** Returns a redirect to the front page, from which all other pages can be reached. */
const toHome = (): SiteResponse => ({ status: 302, type: 'text/html', body: '', location: sitePath });

const notFound = () => page(404, messagePage('There is no such page', 'It may have moved, or never existed.'));

/** Returns a decoded path. A path that cannot be decoded matches no page. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}

function page(status: number, content: Html): SiteResponse {
  return { status, type: 'text/html', body: content.text };
}

async function asset(file: string): Promise<SiteResponse> {
  const type = file.endsWith('.css') ? 'text/css' : 'text/javascript';
  return { status: 200, type, body: await readFile(join(publicFiles, file), 'utf8') };
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, type, body, allow, location }: SiteResponse,
): void {
  // The gateway has already refused the request, because the rest of it was malformed.
  if (response.headersSent) return;
  response.writeHead(status, {
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Length': Buffer.byteLength(body),
    'Content-Security-Policy': contentPolicy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'same-origin',
    // Browsers revalidate each time, so that an edited page, or a new key after a fresh start, is visible at once.
    'Cache-Control': 'no-cache',
    ...(allow && { Allow: allow }),
    ...(location && { Location: location, Vary: 'Accept' }),
  });
  if (request.method !== 'HEAD') response.write(body);
  endResponse(request, response);
}
