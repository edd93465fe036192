import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildWidget } from '../../build.ts';
import type { ChatRequestBody } from '../chat/chat.request.ts';
import { type Answer, answerStream, refusal, textAnswer } from './answer.harness.ts';

/** Nothing inline, nothing from elsewhere, and no text that is made into HTML or script. */
const policy = "default-src 'none'; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'";

/** A site with the widget on its pages, and a gateway whose answers a test writes. */
export interface Site extends AsyncDisposable {
  readonly url: string;
  /** What was asked, oldest first. */
  readonly questions: ChatRequestBody[];
  /** The demo requests that arrived. */
  readonly requests: Record<string, string>[];
  /** The keys that came with questions and demo requests. */
  readonly keys: (string | string[] | undefined)[];
  /** The answers to come, to questions; where there is none left: "Fine." */
  readonly answers: Answer[];
  /** The answers to come, to demo requests; where there is none left: 200. */
  readonly outcomes: Answer[];
  /** Paths that nobody should have asked for. */
  readonly strays: string[];
  forget(): void;
}

export async function openSite(): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'relata-widget-'));
  const { file } = await buildWidget({ outFile: join(folder, 'widget.js') });
  const script = await readFile(file);
  await rm(folder, { recursive: true });
  const state = { questions: [], requests: [], keys: [], answers: [], outcomes: [], strays: [] };
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const site: Site = {
    url,
    ...state,
    forget: () => Object.values(state).forEach((list) => list.splice(0)),
    [Symbol.asyncDispose]: () => closeServer(server),
  };
  server.on('request', (request, response) => void serve(site, script, request, response));
  return site;
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

async function serve(site: Site, script: Buffer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url!, site.url);
  if (pathname === '/empty') return void response.writeHead(200, { 'content-type': 'text/plain' }).end();
  if (pathname === '/') return void response.writeHead(200, pageHeaders).end(pageText(searchParams));
  if (pathname === '/v1/genie/widget.js') return void response.writeHead(200, scriptHeaders).end(script);
  const isKnown = pathname === '/v1/genie/chat' || pathname === '/v1/genie/demo-request';
  if (!isKnown) site.strays.push(pathname);
  if (!isKnown) return void response.writeHead(404).end();
  const body = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString());
  site.keys.push(request.headers['x-api-key']);
  (pathname.endsWith('chat') ? site.questions : site.requests).push(body);
  const answer = pathname.endsWith('chat') ? (site.answers.shift() ?? textAnswer('Fine.')) : site.outcomes.shift();
  await (answer ?? refusal(200, ''))(answerStream(response), response);
}

const pageHeaders = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy };
const scriptHeaders = { 'content-type': 'text/javascript; charset=utf-8' };

/** `attributes`: the widget's. `load`: how its script is loaded. */
function pageText(parameters: URLSearchParams): string {
  const script = `<script ${parameters.get('load') ?? 'async'} src="/v1/genie/widget.js"></script>`;
  const widget = `<relata-chat api-key="relata_pk_test" ${parameters.get('attributes') ?? ''}></relata-chat>`;
  return `<!doctype html>
<html lang="en" dir="${parameters.get('dir') ?? 'ltr'}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Robots for everyone</title>
${script}
<main><h1>Robots for everyone</h1><button id="page">A button of the page</button>${widget}</main>
</html>`;
}
