import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen } from '@relata/testing';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { buildWidget } from '../../build.ts';
import type { ChatRequestBody } from '../chat/chat-request.ts';
import { type AnswerScript, answerStream, refusal, textAnswer } from './answer.harness.ts';

/**
 * Returns a content security policy. It permits only these origins, no inline code, and no conversion of text into HTML
 * or script.
 */
const policy = (origins: string) =>
  `default-src 'none'; script-src ${origins}; connect-src ${origins}; require-trusted-types-for 'script'`;

/** A site with the widget on its pages, and a gateway whose answers the test writes. */
export interface TestSite extends AsyncDisposable {
  /** URL of the pages. The gateway has this URL, too. */
  readonly url: string;
  /** URL of the gateway on a separate origin. */
  readonly gatewayUrl: string;
  /** Questions asked, oldest first. */
  readonly questions: ChatRequestBody[];
  /** Demo requests that were received. */
  readonly requests: Record<string, string>[];
  /** Votes that were received. */
  readonly votes: Record<string, string>[];
  /** API keys of the received questions, demo requests and votes. */
  readonly keys: (string | string[] | undefined)[];
  /** Origins to which the questions, demo requests and votes were sent. */
  readonly origins: string[];
  /** Answers to the next questions. Without any, the answer is "Fine." */
  readonly answers: AnswerScript[];
  /** Answers to the next demo requests. Without any, the answer is 200. */
  readonly outcomes: AnswerScript[];
  /** Unexpected paths that were requested. */
  readonly strays: string[];
  forget(): void;
}

/** Opens a site for the tests of a block. Before each of them, it forgets what it has received. */
export function useSite(): TestSite {
  const site = {} as TestSite;
  beforeAll(async () => void Object.assign(site, await startTestSite()));
  beforeEach(() => site.forget());
  afterAll(() => site[Symbol.asyncDispose]());
  return site;
}

async function startTestSite(): Promise<TestSite> {
  const folder = await mkdtemp(join(tmpdir(), 'relata-widget-'));
  const { file } = await buildWidget({ outFile: join(folder, 'widget.js') });
  const script = await readFile(file);
  await rm(folder, { recursive: true });
  const chats = { questions: [], answers: [], keys: [], origins: [] };
  const state = { ...chats, requests: [], outcomes: [], votes: [], strays: [] };
  const servers = [createServer(), createServer()] as const;
  const [pages, gateway] = [await listen(servers[0]), await listen(servers[1])];
  const site: TestSite = {
    url: pages.url,
    gatewayUrl: gateway.url,
    ...state,
    forget: () => Object.values(state).forEach((list) => list.splice(0)),
    [Symbol.asyncDispose]: async () => void (await Promise.all([pages.close(), gateway.close()])),
  };
  for (const server of servers)
    server.on('request', (request, response) => void serve(site, script, request, response));
  return site;
}

async function serve(
  site: TestSite,
  script: Buffer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams, origin } = new URL(request.url!, `http://${request.headers.host}`);
  if (origin === site.gatewayUrl) allowOrigin(site.url, response);
  if (request.method === 'OPTIONS') return void response.writeHead(204).end();
  if (request.method === 'GET') return servePage(site, script, pathname, searchParams, response);
  const isKnown = /^\/v1\/genie\/(?:chat|demo-request|answer-vote)$/.test(pathname);
  if (!isKnown) site.strays.push(pathname);
  if (!isKnown) return void response.writeHead(404).end();
  const body = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString());
  site.keys.push(request.headers['x-api-key']);
  site.origins.push(origin);
  await answerOf(site, pathname, body)(answerStream(response), response);
}

/** Stores a request, and returns the answer that the test wrote for it. */
function answerOf(site: TestSite, path: string, body: ChatRequestBody & Record<string, string>): AnswerScript {
  if (path.endsWith('answer-vote')) site.votes.push(body);
  if (path.endsWith('demo-request')) site.requests.push(body);
  if (path.endsWith('chat')) site.questions.push(body);
  if (path.endsWith('chat')) return site.answers.shift() ?? textAnswer('Fine.');
  return (path.endsWith('demo-request') && site.outcomes.shift()) || refusal(200, '');
}

function allowOrigin(origin: string, response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-allow-headers', 'content-type, x-api-key');
}

/** Serves pages, the widget's script under two names, and empty scripts below `/others/`. */
function servePage(
  site: TestSite,
  script: Buffer,
  path: string,
  query: URLSearchParams,
  response: ServerResponse,
): void {
  if (path === '/empty') return void response.writeHead(200, { 'content-type': 'text/plain' }).end();
  if (path === '/') return void response.writeHead(200, pageHeaders(site)).end(pageText(query));
  if (path.startsWith('/others/')) return void response.writeHead(200, scriptHeaders).end();
  const isWidget = path === '/v1/genie/widget.js' || path === '/renamed.js';
  if (!isWidget) site.strays.push(path);
  response.writeHead(isWidget ? 200 : 404, scriptHeaders).end(isWidget ? script : '');
}

const pageHeaders = ({ gatewayUrl }: TestSite) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy(`'self' ${gatewayUrl}`),
});
const scriptHeaders = { 'content-type': 'text/javascript; charset=utf-8' };

/**
 * Returns a page with the widget. Parameters: `attributes` of the widget, `load` and `script` (attribute and URL of its
 * script), `dir` of the page.
 */
function pageText(parameters: URLSearchParams): string {
  const script = `<script ${parameters.get('load') ?? 'async'} src="${parameters.get('script') ?? ''}"></script>`;
  const widget = `<relata-chat api-key="relata_pk_test" ${parameters.get('attributes') ?? ''}></relata-chat>`;
  return `<!doctype html>
<html lang="en" dir="${parameters.get('dir') ?? 'ltr'}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Robots for everyone</title>
${script}
<main><h1>Robots for everyone</h1><button id="page">A button of the page</button>${widget}</main>
</html>`;
}
